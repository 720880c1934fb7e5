// What is computed from one number is computed once, whatever tiles it fills.
// RUN: heddle-opt %s --heddle-fold-splats | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK: %[[N:.*]] = arith.negf %{{.*}} : f32
// CHECK: %[[T:.*]] = arith.mulf %[[N]], %{{.*}} : f32
// CHECK: tensor.splat %[[T]] : tensor<64xf32>
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<64xf32>
tile.kernel @decays(%V: !tile.view<?xf32> {tile.name = "V", tile.dims = ["N"]},
                    %O: !tile.view<?xf32> {tile.name = "O", tile.dims = ["N"]},
                    %rate: f32 {tile.name = "rate", tile.default = 0.5 : f32})
    attributes {tile.default_dims = {N = 60}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %v = tile.load %V[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %rates = tensor.splat %rate : tensor<64xf32>
  %minus = arith.negf %rates : tensor<64xf32>
  %twice = arith.mulf %minus, %two : tensor<64xf32>
  %o = arith.mulf %v, %twice : tensor<64xf32>
  tile.store %o, %O[%c0] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
