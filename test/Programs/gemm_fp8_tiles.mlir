// A product of 8-bit floats whose tiles are parameters; as examples/01_gemm.mlir, with other types. bench/gpu times it.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=sim --param=BM=192 --param=BN=128 --param=BK=128 | FileCheck %s
// CHECK: verified
tile.kernel @gemm(%A: !tile.view<?x?xf8E4M3FN> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf8E4M3FN> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256 : i64, N = 256 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 128 in [64, 96, 128, 160, 176, 192, 208, 224, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %M = tile.dim %A, 0 : !tile.view<?x?xf8E4M3FN>
  %N = tile.dim %B, 0 : !tile.view<?x?xf8E4M3FN>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %bt = tile.transpose %b : tensor<128x64xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  tile.return
}
