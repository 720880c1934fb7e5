// A bisection of numbers that tiles give: a loop and a branch in it, both decided by them.
// RUN: heddle run %s --device=sim --grid=4,1,1 --scalars=N=100,k=10 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4,1,1 --scalars=N=100,k=10 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_bis(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %N: i32, %k: i32) {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 1.000000e-03 : f32
    %n = arith.constant 0 : i32
    %cst_1 = arith.constant 1.000000e+01 : f32
    %v = arith.constant dense<0xFF800000> : tensor<128xf32>
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %v_2 = tt.splat %N : i32 -> tensor<128xi32>
    %v_3 = arith.cmpi slt, %i, %v_2 : tensor<128xi32>
    %v_4 = arith.muli %r, %N : i32
    %v_5 = tt.addptr %x, %v_4 : !tt.ptr<f32>, i32
    %v_6 = tt.splat %v_5 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %v_7 = tt.addptr %v_6, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v_8 = tt.load %v_7, %v_3, %v : tensor<128x!tt.ptr<f32>>
    %lo = tt.reshape %v_8 allow_reorder : tensor<128xf32> -> tensor<128xf32>
    %lo_9 = "tt.reduce"(%lo) <{axis = 0 : i32}> ({
    ^bb0(%lo_12: f32, %lo_13: f32):
      %lo_14 = arith.maxnumf %lo_12, %lo_13 : f32
      tt.reduce.return %lo_14 : f32
    }) : (tensor<128xf32>) -> f32
    %lo_10 = arith.subf %lo_9, %cst_1 : f32
    %n_11:3 = scf.while (%lo_12 = %lo_10, %hi = %lo_9, %n_13 = %n) : (f32, f32, i32) -> (f32, f32, i32) {
      %1 = arith.subf %hi, %lo_12 : f32
      %2 = arith.cmpf ogt, %1, %cst_0 : f32
      scf.condition(%2) %lo_12, %hi, %n_13 : f32, f32, i32
    } do {
    ^bb0(%lo_12: f32, %hi: f32, %n_13: i32):
      %mid = arith.addf %lo_12, %hi : f32
      %hi_14 = arith.mulf %mid, %cst : f32
      %c = tt.splat %hi_14 : f32 -> tensor<128xf32>
      %c_15 = arith.cmpf ogt, %v_8, %c : tensor<128xf32>
      %c_16 = arith.extui %c_15 : tensor<128xi1> to tensor<128xi32>
      %c_17 = tt.reshape %c_16 allow_reorder : tensor<128xi32> -> tensor<128xi32>
      %c_18 = "tt.reduce"(%c_17) <{axis = 0 : i32}> ({
      ^bb0(%c_20: i32, %c_21: i32):
        %c_22 = arith.addi %c_20, %c_21 : i32
        tt.reduce.return %c_22 : i32
      }) : (tensor<128xi32>) -> i32
      %1 = arith.cmpi sgt, %c_18, %k : i32
      %2 = arith.select %1, %hi_14, %lo_12 : f32
      %3 = arith.select %1, %hi, %hi_14 : f32
      %n_19 = arith.addi %n_13, %c1_i32 : i32
      scf.yield %2, %3, %n_19 : f32, f32, i32
    }
    %0 = tt.addptr %o, %r : !tt.ptr<f32>, i32
    tt.store %0, %n_11#1 : !tt.ptr<f32>
    tt.return
  }
}
