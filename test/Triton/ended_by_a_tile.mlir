// A loop that ends when the sum of a tile is small enough.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=N=100 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=N=100 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_while(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %N: i32) {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<5.000000e-01> : tensor<128xf32>
    %cst_0 = arith.constant 1.000000e+00 : f32
    %n = arith.constant 0 : i32
    %v = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %v_1 = tt.splat %N : i32 -> tensor<128xi32>
    %v_2 = arith.cmpi slt, %i, %v_1 : tensor<128xi32>
    %v_3 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %v_4 = tt.addptr %v_3, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v_5 = tt.load %v_4, %v_2, %v : tensor<128x!tt.ptr<f32>>
    %n_6:2 = scf.while (%v_7 = %v_5, %n_8 = %n) : (tensor<128xf32>, i32) -> (tensor<128xf32>, i32) {
      %2 = arith.mulf %v_7, %v_7 : tensor<128xf32>
      %3 = tt.reshape %2 allow_reorder : tensor<128xf32> -> tensor<128xf32>
      %4 = "tt.reduce"(%3) <{axis = 0 : i32}> ({
      ^bb0(%arg5: f32, %arg6: f32):
        %6 = arith.addf %arg5, %arg6 : f32
        tt.reduce.return %6 : f32
      }) : (tensor<128xf32>) -> f32
      %5 = arith.cmpf ogt, %4, %cst_0 : f32
      scf.condition(%5) %v_7, %n_8 : tensor<128xf32>, i32
    } do {
    ^bb0(%v_7: tensor<128xf32>, %n_8: i32):
      %v_9 = arith.mulf %v_7, %cst : tensor<128xf32>
      %n_10 = arith.addi %n_8, %c1_i32 : i32
      scf.yield %v_9, %n_10 : tensor<128xf32>, i32
    }
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %1, %n_6#0, %v_2 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
