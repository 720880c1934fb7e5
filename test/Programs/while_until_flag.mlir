// A loop that ends early where a number in memory says so, with a branch that gives what the loop carries.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @early(%X: !tile.view<?x128xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                  %stop: !tile.view<?xf32> {tile.name = "stop", tile.dims = ["S"]},
                  %Y: !tile.view<64x128xf32> {tile.name = "Y", tile.dims = ["R", "D"]})
    attributes {tile.default_dims = {M = 640, S = 10}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x128xf16>
  %n = arith.ceildivui %M, %c64 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %lim = arith.constant 1.0 : f32
  %k, %s = scf.while (%i = %c0, %acc = %zero) : (index, tensor<64x128xf32>) -> (index, tensor<64x128xf32>) {
    %in = arith.cmpi ult, %i, %n : index
    %v = tile.element %stop[%i] : !tile.view<?xf32> -> f32
    %small = arith.cmpf olt, %v, %lim : f32
    %go = arith.andi %in, %small : i1
    scf.condition(%go) %i, %acc : index, tensor<64x128xf32>
  } do {
  ^bb0(%i: index, %acc: tensor<64x128xf32>):
    %m = arith.muli %i, %c64 : index
    %x = tile.load %X[%m, %c0] : !tile.view<?x128xf16> -> tensor<64x128xf16>
    %f = arith.extf %x : tensor<64x128xf16> to tensor<64x128xf32>
    %odd = arith.andi %i, %c1 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    %y = scf.if %is -> (tensor<64x128xf32>) {
      %t = arith.addf %acc, %f : tensor<64x128xf32>
      scf.yield %t : tensor<64x128xf32>
    } else {
      %t = arith.subf %acc, %f : tensor<64x128xf32>
      scf.yield %t : tensor<64x128xf32>
    }
    %nx = arith.addi %i, %c1 : index
    scf.yield %nx, %y : index, tensor<64x128xf32>
  }
  tile.store %s, %Y[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
  tile.return
}
