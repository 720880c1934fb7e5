// The same of one element, loaded and stored.
// RUN: heddle run %s --device=sim --grid=3,1,1 --scalars=N=20 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3,1,1 --scalars=N=20 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_pick1(%s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %c10_i32 = arith.constant 10 : i32
    %cst = arith.constant 2.000000e+00 : f32
    %j = arith.constant dense<0xFF800000> : tensor<32xf32>
    %r = tt.get_program_id x : i32
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %j_0 = tt.splat %N : i32 -> tensor<32xi32>
    %j_1 = arith.cmpi slt, %c, %j_0 : tensor<32xi32>
    %j_2 = arith.muli %r, %N : i32
    %j_3 = tt.addptr %s, %j_2 : !tt.ptr<f32>, i32
    %j_4 = tt.splat %j_3 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %j_5 = tt.addptr %j_4, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %j_6 = tt.load %j_5, %j_1, %j : tensor<32x!tt.ptr<f32>>
    %j_7:2 = "tt.reduce"(%j_6, %c) <{axis = 0 : i32}> ({
    ^bb0(%j_9: f32, %j_10: i32, %j_11: f32, %j_12: i32):
      %tie = arith.cmpf oeq, %j_9, %j_11 : f32
      %tie_13 = arith.cmpi slt, %j_10, %j_12 : i32
      %tie_14 = arith.andi %tie, %tie_13 : i1
      %gt = arith.cmpf ogt, %j_9, %j_11 : f32
      %gt_15 = arith.ori %gt, %tie_14 : i1
      %v_ret = arith.select %gt_15, %j_9, %j_11 : f32
      %i_ret = arith.select %gt_15, %j_10, %j_12 : i32
      tt.reduce.return %v_ret, %i_ret : f32, i32
    }) : (tensor<32xf32>, tensor<32xi32>) -> (f32, i32)
    %v = tt.addptr %x, %j_7#1 : !tt.ptr<f32>, i32
    %v_8 = tt.load %v : !tt.ptr<f32>
    %0 = tt.addptr %o, %r : !tt.ptr<f32>, i32
    %1 = arith.mulf %v_8, %cst : f32
    tt.store %0, %1 : !tt.ptr<f32>
    %2 = tt.addptr %o, %c10_i32 : !tt.ptr<f32>, i32
    %3 = tt.addptr %2, %j_7#1 : !tt.ptr<f32>, i32
    tt.store %3, %v_8 : !tt.ptr<f32>
    tt.return
  }
}
