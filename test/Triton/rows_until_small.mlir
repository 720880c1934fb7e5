// Rows are loaded until one has a small sum.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=N=100,M=8 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=N=100,M=8 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_wl(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %N: i32, %M: i32) {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %cst_0 = arith.constant 5.000000e-01 : f32
    %s = arith.constant 1.000000e+00 : f32
    %j = arith.constant 0 : i32
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %s_1:2 = scf.while (%j_2 = %j, %acc = %cst, %s_3 = %s) : (i32, tensor<128xf32>, f32) -> (i32, tensor<128xf32>) {
      %4 = arith.cmpf ogt, %s_3, %cst_0 : f32
      %5 = arith.cmpi slt, %j_2, %M : i32
      %6 = arith.andi %4, %5 : i1
      scf.condition(%6) %j_2, %acc : i32, tensor<128xf32>
    } do {
    ^bb0(%s_2: i32, %s_3: tensor<128xf32>):
      %v = tt.splat %N : i32 -> tensor<128xi32>
      %v_4 = arith.cmpi slt, %i, %v : tensor<128xi32>
      %v_5 = arith.muli %s_2, %N : i32
      %v_6 = tt.addptr %x, %v_5 : !tt.ptr<f32>, i32
      %v_7 = tt.splat %v_6 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %v_8 = tt.addptr %v_7, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %v_9 = tt.load %v_8, %v_4, %cst : tensor<128x!tt.ptr<f32>>
      %acc = arith.addf %s_3, %v_9 : tensor<128xf32>
      %s_10 = tt.reshape %v_9 allow_reorder : tensor<128xf32> -> tensor<128xf32>
      %s_11 = "tt.reduce"(%s_10) <{axis = 0 : i32}> ({
      ^bb0(%s_13: f32, %s_14: f32):
        %s_15 = arith.addf %s_13, %s_14 : f32
        tt.reduce.return %s_15 : f32
      }) : (tensor<128xf32>) -> f32
      %j_12 = arith.addi %s_2, %c1_i32 : i32
      scf.yield %j_12, %acc, %s_11 : i32, tensor<128xf32>, f32
    }
    %0 = tt.splat %N : i32 -> tensor<128xi32>
    %1 = arith.cmpi slt, %i, %0 : tensor<128xi32>
    %2 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %3, %s_1#1, %1 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
