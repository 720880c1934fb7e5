// What is alike in all rows of a tile is computed for one row: zeros of packed weights. Positions stay as they are.
// RUN: heddle-opt %s --heddle-fold-broadcasts | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK-DAG: arith.andi %{{.*}}, %{{.*}} : tensor<32x64xi32>
// CHECK-DAG: %[[SHIFTED:.*]] = arith.shrui %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-DAG: %[[LOW:.*]] = arith.andi %[[SHIFTED]], %{{.*}} : tensor<64xi32>
// CHECK-DAG: %[[ROWS:.*]] = tile.broadcast %[[LOW]] axis 0 : tensor<64xi32> -> tensor<32x64xi32>
// CHECK: arith.subi %{{.*}}, %[[ROWS]] : tensor<32x64xi32>
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<32x64xi32>
// CHECK: arith.muli %{{.*}}, %{{.*}} : tensor<32x64xi32>
tile.kernel @zeros(%Q: !tile.view<?x?xi32> {tile.dims = ["M", "N"]}, %Z: !tile.view<?xi32> {tile.dims = ["N"]},
                   %S: !tile.view<?xi32> {tile.dims = ["M"]}, %O: !tile.view<?x?xi32> {tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 30, N = 60}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %q = tile.load %Q[%c0, %c0] : !tile.view<?x?xi32> -> tensor<32x64xi32>
  %z = tile.load %Z[%c0] : !tile.view<?xi32> -> tensor<64xi32>
  %s = tile.load %S[%c0] : !tile.view<?xi32> -> tensor<32xi32>
  %i = tile.iota : tensor<64xi32>
  %zs = tile.broadcast %z axis 0 : tensor<64xi32> -> tensor<32x64xi32>
  %is = tile.broadcast %i axis 0 : tensor<64xi32> -> tensor<32x64xi32>
  %ss = tile.broadcast %s axis 1 : tensor<32xi32> -> tensor<32x64xi32>
  %seven = arith.constant dense<7> : tensor<32x64xi32>
  %place = arith.andi %is, %seven : tensor<32x64xi32>
  %shifted = arith.shrui %zs, %is : tensor<32x64xi32>
  %low = arith.andi %shifted, %seven : tensor<32x64xi32>
  %d = arith.subi %q, %low : tensor<32x64xi32>
  %e = arith.addi %d, %place : tensor<32x64xi32>
  %o = arith.muli %e, %ss : tensor<32x64xi32>
  tile.store %o, %O[%c0, %c0] : tensor<32x64xi32>, !tile.view<?x?xi32>
  tile.return
}
