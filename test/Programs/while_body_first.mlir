// A do-while: the body is in the condition's block, with loads, and a value leaves from there.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @dowhile(%X: !tile.view<?x128xf32> {tile.name = "X", tile.dims = ["M", "D"]},
                 %Y: !tile.view<64x128xf32> {tile.name = "Y", tile.dims = ["R", "D"]})
    attributes {tile.default_dims = {M = 300}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x128xf32>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %i, %s = scf.while (%at = %c0, %sum = %zero) : (index, tensor<64x128xf32>) -> (index, tensor<64x128xf32>) {
    %t = tile.load %X[%at, %c0] : !tile.view<?x128xf32> -> tensor<64x128xf32>
    %next = arith.addf %t, %sum : tensor<64x128xf32>
    %n = arith.addi %at, %c64 : index
    %more = arith.cmpi slt, %n, %M : index
    scf.condition(%more) %n, %next : index, tensor<64x128xf32>
  } do {
  ^bb0(%at: index, %sum: tensor<64x128xf32>):
    scf.yield %at, %sum : index, tensor<64x128xf32>
  }
  tile.store %s, %Y[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
  tile.return
}
