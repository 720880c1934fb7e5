// A product of integers of 8 bits, dequantised by a scale for each row and each column.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
tile.kernel @gemm(%A: !tile.view<?x?xi8> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xi8> {tile.name = "B", tile.dims = ["N", "K"]},
                  %scaleA: !tile.view<?xf32> {tile.name = "scaleA", tile.dims = ["M"]},
                  %scaleB: !tile.view<?xf32> {tile.name = "scaleB", tile.dims = ["N"]},
                  %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 123, N = 136, K = 192}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 64 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 64 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %M = tile.dim %A, 0 : !tile.view<?x?xi8>
  %N = tile.dim %B, 0 : !tile.view<?x?xi8>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<64x64xi32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xi8> -> tensor<64x64xi8>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xi8> -> tensor<64x64xi8>
    %bt = tile.transpose %b : tensor<64x64xi8> -> tensor<64x64xi8>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    scf.yield %next : tensor<64x64xi32>
  }
  %numbers = arith.sitofp %acc : tensor<64x64xi32> to tensor<64x64xf32>
  %rowScale = tile.load %scaleA[%m] {tile.sizes = ["BM"]} : !tile.view<?xf32> -> tensor<64xf32>
  %columnScale = tile.load %scaleB[%n] {tile.sizes = ["BN"]} : !tile.view<?xf32> -> tensor<64xf32>
  %scaleRows = tile.broadcast %rowScale axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %scaleColumns = tile.broadcast %columnScale axis 0 : tensor<64xf32> -> tensor<64x64xf32>
  %scaled = arith.mulf %numbers, %scaleRows : tensor<64x64xf32>
  %result = arith.mulf %scaled, %scaleColumns : tensor<64x64xf32>
  %c = arith.truncf %result : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %c, %C[%m, %n] : tensor<64x64xbf16>, !tile.view<?x?xbf16>
  tile.return
}
