// Numbers of rows that a loop computes and does not change are computed in front of it.
// RUN: heddle compile %s --emit=problem | FileCheck %s
// CHECK: node stage
// CHECK-NOT: divsi
// CHECK-NOT: addi
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// A division by a number that may be zero stays: the loop may have no iteration.
// RUN: sed 's/dense<2> : tensor/dense<0> : tensor/' %s > %t.mlir
// RUN: heddle compile %t.mlir --emit=problem | FileCheck %s --check-prefix=STAYS
// STAYS: node divsi
tile.kernel @pairs(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["T", "K"]},
                   %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {T = 16, K = 128, M = 64, N = 64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %tokens = tile.load %ids[%c0] : !tile.view<?xi32> -> tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %rows = arith.divsi %tokens, %two : tensor<64xi32>
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<64xi32> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
