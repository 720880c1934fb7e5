// Two tiles that change places in every iteration: the loop keeps the program's order.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @exchange(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "D"]},
                      %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 300}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %first = tile.load %X[%c0, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  tile.grid %c1
  %a, %b = scf.for %i = %c0 to %M step %c64 iter_args(%p = %zero, %q = %first)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %x = tile.load %X[%i, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %y = arith.addf %x, %p : tensor<64x64xf32>
    tile.store %y, %Y[%i, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    scf.yield %q, %p : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.return
}
