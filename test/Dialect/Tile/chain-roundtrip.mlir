// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

tile.kernel @twice(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                   %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]}) {
  %c128 = arith.constant 128 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %programs = arith.ceildivui %n, %c128 : index
  tile.grid %programs
  %p = tile.program_id 0
  %i = arith.muli %p, %c128 : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
  %u = arith.addf %t, %t : tensor<128xf32>
  tile.store %u, %y[%i] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}

tile.kernel @with_numbers(%x: !tile.view<?x64xf32>, %s: f32, %n: i32, %m: index) {
  tile.grid %m
  tile.return
}

// CHECK-LABEL: tile.chain @all
// CHECK-SAME: %{{.*}}: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"}
// CHECK-SAME: attributes {tile.default_dims = {N = 300 : i64}}
tile.chain @all(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]}, %s: f32, %k: i32)
    attributes {tile.default_dims = {N = 300 : i64}} {
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %rows = arith.addi %n, %c3 : index
  // CHECK: %[[A:.*]] = tile.workspace "a"[%{{.*}}] : <?xf32>
  %a = tile.workspace "a" [%n] : !tile.view<?xf32>
  // CHECK: %[[B:.*]] = tile.workspace "b" zeroed[%{{.*}}] : <?x64xf32>
  %b = tile.workspace "b" zeroed [%rows] : !tile.view<?x64xf32>
  // CHECK: tile.launch @twice(%{{.*}}, %[[A]]) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.launch @twice(%x, %a) : !tile.view<?xf32>, !tile.view<?xf32>
  // CHECK: tile.launch @with_numbers(%[[B]], %{{.*}}, %{{.*}}, %{{.*}}) : !tile.view<?x64xf32>, f32, i32, index
  tile.launch @with_numbers(%b, %half, %k, %rows) : !tile.view<?x64xf32>, f32, i32, index
  tile.launch @with_numbers(%b, %s, %k, %c3) : !tile.view<?x64xf32>, f32, i32, index
  tile.launch @twice(%a, %y) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.return
}
