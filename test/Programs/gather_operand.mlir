// Rows of A that a table names times B: gathered rows as left operand, over two warp groups.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @ggemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["T", "K"]},
                   %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
                   %B: !tile.view<64x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {T = 14, K = 192, M = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %ids, 0 : !tile.view<?xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %rows = tile.load %ids[%m] : !tile.view<?xi32> -> tensor<128xi32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<128xi32> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<64x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %acc, %C[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
