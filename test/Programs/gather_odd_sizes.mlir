// Gathered rows as left operand in sizes that no instruction has: 40 rows, 24 columns of them, 20 results each.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @odd(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["T", "K"]},
           %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
           %B: !tile.view<20x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
           %C: !tile.view<?x20xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {T = 14, K = 100, M = 90}} {
  %c0 = arith.constant 0 : index
  %c24 = arith.constant 24 : index
  %c40 = arith.constant 40 : index
  %M = tile.dim %ids, 0 : !tile.view<?xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c40 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c40 : index
  %rows = tile.load %ids[%m] : !tile.view<?xi32> -> tensor<40xi32>
  %zero = arith.constant dense<0.0> : tensor<40x20xf32>
  %acc = scf.for %k = %c0 to %K step %c24 iter_args(%s = %zero) -> (tensor<40x20xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<40xi32> -> tensor<40x24xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<20x?xf16> -> tensor<20x24xf16>
    %bt = tile.transpose %b : tensor<20x24xf16> -> tensor<24x20xf16>
    %d = tile.dot %a, %bt, %s : tensor<40x24xf16>, tensor<24x20xf16>, tensor<40x20xf32>
    scf.yield %d : tensor<40x20xf32>
  }
  tile.store %acc, %C[%m, %c0] : tensor<40x20xf32>, !tile.view<?x20xf32>
  tile.return
}
