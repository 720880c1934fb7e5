// A product of 8-bit floats of two kinds whose blocks of 128 are added up in f32 outside of the tensor core, with one
// scale for both tensors.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
tile.kernel @gemm(%A: !tile.view<?x?xf8E4M3FN> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf8E5M2> {tile.name = "B", tile.dims = ["N", "K"]},
                  %scale: f32 {tile.name = "scale", tile.default = 0.25 : f32},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 251, N = 136, K = 384}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 64 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 128 in [64, 128, 256]
  %M = tile.dim %A, 0 : !tile.view<?x?xf8E4M3FN>
  %N = tile.dim %B, 0 : !tile.view<?x?xf8E5M2>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf8E5M2> -> tensor<64x128xf8E5M2>
    %bt = tile.transpose %b : tensor<64x128xf8E5M2> -> tensor<128x64xf8E5M2>
    %part = tile.dot %a, %bt, %zero : tensor<128x128xf8E4M3FN>, tensor<128x64xf8E5M2>, tensor<128x64xf32>
    %next = arith.addf %sum, %part : tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %scales = tensor.splat %scale : tensor<128x64xf32>
  %result = arith.mulf %acc, %scales : tensor<128x64xf32>
  %c = arith.truncf %result : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %c, %C[%m, %n] : tensor<128x64xf16>, !tile.view<?x?xf16>
  tile.return
}
