// The same by a tile of two dimensions.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_w2(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant dense<5.000000e-01> : tensor<32x32xf32>
    %cst_0 = arith.constant 1.000000e+00 : f32
    %n = arith.constant 0 : i32
    %i = arith.constant dense<32> : tensor<32x1xi32>
    %i_1 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %i_2 = tt.expand_dims %i_1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %i_3 = arith.muli %i_2, %i : tensor<32x1xi32>
    %i_4 = tt.expand_dims %i_1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %i_5 = tt.broadcast %i_3 : tensor<32x1xi32> -> tensor<32x32xi32>
    %i_6 = tt.broadcast %i_4 : tensor<1x32xi32> -> tensor<32x32xi32>
    %i_7 = arith.addi %i_5, %i_6 : tensor<32x32xi32>
    %v = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %v_8 = tt.addptr %v, %i_7 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %v_9 = tt.load %v_8 : tensor<32x32x!tt.ptr<f32>>
    %n_10:2 = scf.while (%v_11 = %v_9, %n_12 = %n) : (tensor<32x32xf32>, i32) -> (tensor<32x32xf32>, i32) {
      %5 = "tt.reduce"(%v_11) <{axis = 1 : i32}> ({
      ^bb0(%arg4: f32, %arg5: f32):
        %8 = arith.maxnumf %arg4, %arg5 : f32
        tt.reduce.return %8 : f32
      }) : (tensor<32x32xf32>) -> tensor<32xf32>
      %6 = "tt.reduce"(%5) <{axis = 0 : i32}> ({
      ^bb0(%arg4: f32, %arg5: f32):
        %8 = arith.maxnumf %arg4, %arg5 : f32
        tt.reduce.return %8 : f32
      }) : (tensor<32xf32>) -> f32
      %7 = arith.cmpf ogt, %6, %cst_0 : f32
      scf.condition(%7) %v_11, %n_12 : tensor<32x32xf32>, i32
    } do {
    ^bb0(%v_11: tensor<32x32xf32>, %n_12: i32):
      %v_13 = arith.mulf %v_11, %cst : tensor<32x32xf32>
      %n_14 = arith.addi %n_12, %c1_i32 : i32
      scf.yield %v_13, %n_14 : tensor<32x32xf32>, i32
    }
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_7 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %2 = arith.sitofp %n_10#1 : i32 to f32
    %3 = tt.splat %2 : f32 -> tensor<32x32xf32>
    %4 = arith.addf %n_10#0, %3 : tensor<32x32xf32>
    tt.store %1, %4 : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
}
