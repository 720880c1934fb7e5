// A scalar of a tile is computed from elements of memory: at the load where its place is known there, through
// element-wise operations, transposes, broadcasts, slices, gathers, and by a loop for a reduction.
// RUN: heddle-opt %s --heddle-read-scalars --heddle-normalise-loops | FileCheck %s

// CHECK-LABEL: tile.kernel @scalars
// CHECK-NOT: tile.load
// CHECK-NOT: tensor.extract
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: tile.element %arg0[%{{.*}}, %[[THREE]]] : <?x8xi32> -> i32
// CHECK: arith.muli %{{.*}} : i32
// CHECK: scf.for
// CHECK: tile.element %arg0
// CHECK: arith.maxsi
// CHECK: tile.element %arg1
// CHECK: tile.store
tile.kernel @scalars(%X: !tile.view<?x8xi32>, %Y: !tile.view<?xi32>, %Z: !tile.view<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t = tile.load %X[%n, %c0] : !tile.view<?x8xi32> -> tensor<1x8xi32>
  %p = tensor.extract_slice %t[0, 2] [1, 4] [1, 1] : tensor<1x8xi32> to tensor<1x4xi32>
  %pt = tile.transpose %p : tensor<1x4xi32> -> tensor<4x1xi32>
  %q = arith.muli %pt, %pt : tensor<4x1xi32>
  %a = tensor.extract %q[%c1, %c0] : tensor<4x1xi32>
  %m = tile.reduce "max" %t axis 1 : tensor<1x8xi32> -> tensor<1xi32>
  %b = tensor.extract %m[%c0] : tensor<1xi32>
  %r = tile.gather %Y[%c0] rows %m : !tile.view<?xi32>, tensor<1xi32> -> tensor<1xi32>
  %c = tensor.extract %r[%c0] : tensor<1xi32>
  %ab = arith.addi %a, %b : i32
  %abc = arith.addi %ab, %c : i32
  %s = tensor.splat %abc : tensor<4xi32>
  tile.store %s, %Z[%c0] : tensor<4xi32>, !tile.view<?xi32>
  tile.return
}

// Of a program without products one warp group has all tiles: the element of a tile of one may stay where it is.
// CHECK-LABEL: tile.kernel @kept
// CHECK-SAME: groups = 1
// CHECK: tile.load {{.*}}heddle.direct
// CHECK: tensor.extract
tile.kernel @kept(%X: !tile.view<?x128xf32>, %Y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t = tile.load %X[%c0, %c0] : !tile.view<?x128xf32> -> tensor<64x128xf32>
  %r = tile.reduce "add" %t axis 1 : tensor<64x128xf32> -> tensor<64xf32>
  %a = tile.reduce "max" %r axis 0 : tensor<64xf32> -> tensor<f32>
  %e = tensor.extract %a[] : tensor<f32>
  %s = tensor.splat %e : tensor<4xf32>
  tile.store %s, %Y[%c0] : tensor<4xf32>, !tile.view<?xf32>
  tile.return
}
