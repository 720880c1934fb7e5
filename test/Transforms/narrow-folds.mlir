// Totals of a vector for each column of a tile are totals of the vector; along the repeated dimension nothing changes.
// RUN: heddle-opt %s --heddle-narrow-folds | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK: %[[T:.*]] = tile.reduce "add" %[[V:.*]] axis 0 : tensor<32xf32> -> tensor<f32>
// CHECK: %[[E:.*]] = tensor.extract %[[T]][]
// CHECK: tensor.splat %[[E]] : tensor<64xf32>
// CHECK: %[[M:.*]] = tile.reduce "max" %{{.*}} axis 1 : tensor<32x64xf32> -> tensor<32xf32>
// CHECK: tile.broadcast %[[M]] axis 1 : tensor<32xf32> -> tensor<32x4xf32>
// CHECK: tile.reduce "add" %{{.*}} axis 1 : tensor<32x8xf32> -> tensor<32xf32>
tile.kernel @totals(%V: !tile.view<?xf32> {tile.name = "V", tile.dims = ["N"]},
                    %A: !tile.view<?x64xf32> {tile.name = "A", tile.dims = ["N", "D"]},
                    %T: !tile.view<64xf32> {tile.name = "T", tile.dims = ["D"]},
                    %M: !tile.view<?x4xf32> {tile.name = "M", tile.dims = ["N", "F"]},
                    %E: !tile.view<?xf32> {tile.name = "E", tile.dims = ["N"]})
    attributes {tile.default_dims = {N = 30}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %v = tile.load %V[%c0] : !tile.view<?xf32> -> tensor<32xf32>
  %v64 = tile.broadcast %v axis 1 : tensor<32xf32> -> tensor<32x64xf32>
  %t = tile.reduce "add" %v64 axis 0 : tensor<32x64xf32> -> tensor<64xf32>
  tile.store %t, %T[%c0] : tensor<64xf32>, !tile.view<64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x64xf32> -> tensor<32x64xf32>
  %a4 = tile.broadcast %a axis 2 : tensor<32x64xf32> -> tensor<32x64x4xf32>
  %m = tile.reduce "max" %a4 axis 1 : tensor<32x64x4xf32> -> tensor<32x4xf32>
  tile.store %m, %M[%c0, %c0] : tensor<32x4xf32>, !tile.view<?x4xf32>
  %v8 = tile.broadcast %v axis 1 : tensor<32xf32> -> tensor<32x8xf32>
  %e = tile.reduce "add" %v8 axis 1 : tensor<32x8xf32> -> tensor<32xf32>
  tile.store %e, %E[%c0] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
