// Stores in both arms of a branch, then an update in place in another one: all in the order of the program.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @st(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "D"]},
                %flag: !tile.view<?xi32> {tile.name = "flag", tile.dims = ["F"]},
                %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 256, F = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c7 = arith.constant 7 : i32
  %F = tile.dim %flag, 0 : !tile.view<?xi32>
  tile.grid %c1
  scf.for %i = %c0 to %F step %c1 {
    %m = arith.muli %i, %c64 : index
    %f = tile.element %flag[%i] : !tile.view<?xi32> -> i32
    %on = arith.cmpi sgt, %f, %c7 : i32
    scf.if %on {
      %x = tile.load %X[%m, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
      tile.store %x, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    } else {
      %z = arith.constant dense<1.5> : tensor<64x64xf32>
      tile.store %z, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    }
    %odd = arith.andi %i, %c1 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    scf.if %is {
      %y = tile.load %Y[%m, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
      %t = arith.addf %y, %y : tensor<64x64xf32>
      tile.store %t, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    }
  }
  tile.return
}
