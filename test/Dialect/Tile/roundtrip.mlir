// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @all
// CHECK-SAME: !tile.view<?x64x?xf16> {tile.dims = ["A", "B", "C"], tile.name = "v"}
// CHECK-SAME: %{{.*}}: f32 {tile.default = 1.000000e+00 : f32}
// CHECK-SAME: attributes {groups = 2 : i64, tile.default_dims = {A = 3 : i64, C = 64 : i64}}
tile.kernel @all(%v: !tile.view<?x64x?xf16> {tile.name = "v", tile.dims = ["A", "B", "C"]},
                 %s: f32 {tile.default = 1.0 : f32}, %n: index, %i: i32)
    attributes {groups = 2 : i64, tile.default_dims = {A = 3, C = 64}} {
  // CHECK: tile.dim %{{.*}}, 2 : <?x64x?xf16>
  %d = tile.dim %v, 2 : !tile.view<?x64x?xf16>
  // CHECK: tile.grid %{{.*}}, %{{.*}}, %{{.*}} {raster = 4 : i64}
  tile.grid %d, %n, %d {raster = 4 : i64}
  // CHECK: tile.param "BM" = 128 in [64, 128]
  %bm = tile.param "BM" = 128 in [64, 128]
  // CHECK: tile.param "BN" = 96
  %bn = tile.param "BN" = 96
  // CHECK: tile.num_programs 2
  %programs = tile.num_programs 2
  // CHECK: tile.program_id 1
  %p = tile.program_id 1
  // CHECK: tile.element %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : <?x64x?xf16> -> f16
  %element = tile.element %v[%d, %d, %d] : !tile.view<?x64x?xf16> -> f16
  // CHECK: tile.gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} {dims = array<i64: 0, 2>} : <?x64x?xf16>
  %numbers = tile.iota : tensor<16xi32>
  %gathered = tile.gather %v[%d, %d, %d] rows %numbers {dims = array<i64: 0, 2>}
      : !tile.view<?x64x?xf16>, tensor<16xi32> -> tensor<16x8xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows %{{.*}} {dims = array<i64: 0, 2>, kind = "add"} :
  // CHECK-SAME: tensor<16x8xf16>, <?x64x?xf16>, tensor<16xi32>
  tile.store %gathered, %v[%d, %d, %d] rows %numbers {dims = array<i64: 0, 2>, kind = "add"}
      : tensor<16x8xf16>, !tile.view<?x64x?xf16>, tensor<16xi32>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] {dims = array<i64: 0, 2>} : <?x64x?xf16> -> tensor<16x8xf16>
  %a = tile.load %v[%p, %p, %p] {dims = array<i64: 0, 2>} : !tile.view<?x64x?xf16> -> tensor<16x8xf16>
  // CHECK: tile.transpose %{{.*}} : tensor<16x8xf16> -> tensor<8x16xf16>
  %t = tile.transpose %a : tensor<16x8xf16> -> tensor<8x16xf16>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>
  %c = tile.dot %a, %t, %z : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>
  // CHECK: tile.reduce "max" %{{.*}} axis 1 : tensor<16x16xf32> -> tensor<16xf32>
  %m = tile.reduce "max" %c axis 1 : tensor<16x16xf32> -> tensor<16xf32>
  // CHECK: tile.broadcast %{{.*}} axis 0 : tensor<16xf32> -> tensor<16x16xf32>
  %b = tile.broadcast %m axis 0 : tensor<16xf32> -> tensor<16x16xf32>
  %h = arith.truncf %b : tensor<16x16xf32> to tensor<16x16xf16>
  // CHECK: tile.cluster_rank
  %rank = tile.cluster_rank
  // CHECK: tile.iota : tensor<16xi32>
  %i0 = tile.iota : tensor<16xi32>
  // CHECK: tile.iota {start = 3 : i64} : tensor<16xi32>
  %i3 = tile.iota {start = 3 : i64} : tensor<16xi32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<16x16xf16>, <?x64x?xf16>
  tile.store %h, %v[%p, %p, %p] : tensor<16x16xf16>, !tile.view<?x64x?xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] below[%{{.*}}, %{{.*}}] : tensor<16x16xf16>
  tile.store %h, %v[%p, %p, %p] below [%p, %p] : tensor<16x16xf16>, !tile.view<?x64x?xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] {dims = array<i64: 0, 1>, kind = "add"} : tensor<16x16xf16>, <?x64x?xf16>
  tile.store %h, %v[%p, %p, %p] {dims = array<i64: 0, 1>, kind = "add"} : tensor<16x16xf16>, !tile.view<?x64x?xf16>
  // CHECK: tile.return
  tile.return
}
