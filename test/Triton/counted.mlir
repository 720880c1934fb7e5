// A loop carries integers that tiles give: a count, and the position of a greatest value.
// RUN: heddle run %s --device=sim --grid=3 --scalars=N=600,s=608 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @count_pos(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i32> {tt.divisibility = 16
      : i32}, %mean: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32, %s: i32 {tt.divisibility = 16
      : i32}) attributes {noinline = false} {
    %c256_i32 = arith.constant 256 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<256xf32>
    %best = arith.constant -1 : i32
    %c0_i32 = arith.constant 0 : i32
    %r = tt.get_program_id x : i32
    %best_0:2 = scf.for %n = %c0_i32 to %N step %c256_i32 iter_args(%cnt = %c0_i32, %best_1 = %best) -> (i32, i32)
        : i32 {
      %c = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
      %c_2 = tt.splat %n : i32 -> tensor<256xi32>
      %c_3 = arith.addi %c_2, %c : tensor<256xi32>
      %z = tt.splat %N : i32 -> tensor<256xi32>
      %z_4 = arith.cmpi slt, %c_3, %z : tensor<256xi32>
      %z_5 = arith.muli %r, %s : i32
      %z_6 = tt.addptr %x, %z_5 : !tt.ptr<f32>, i32
      %z_7 = tt.splat %z_6 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %z_8 = tt.addptr %z_7, %c_3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %z_9 = tt.load %z_8, %z_4, %cst : tensor<256x!tt.ptr<f32>>
      %cnt_10 = arith.cmpf ogt, %z_9, %cst : tensor<256xf32>
      %cnt_11 = arith.extui %cnt_10 : tensor<256xi1> to tensor<256xi32>
      %cnt_12 = tt.reshape %cnt_11 allow_reorder : tensor<256xi32> -> tensor<256xi32>
      %cnt_13 = "tt.reduce"(%cnt_12) <{axis = 0 : i32}> ({
      ^bb0(%cnt_18: i32, %cnt_19: i32):
        %cnt_20 = arith.addi %cnt_18, %cnt_19 : i32
        tt.reduce.return %cnt_20 : i32
      }) : (tensor<256xi32>) -> i32
      %cnt_14 = arith.addi %cnt, %cnt_13 : i32
      %best_15:2 = "tt.reduce"(%z_9, %c) <{axis = 0 : i32}> ({
      ^bb0(%best_18: f32, %best_19: i32, %best_20: f32, %best_21: i32):
        %tie = arith.cmpf oeq, %best_18, %best_20 : f32
        %tie_22 = arith.cmpi slt, %best_19, %best_21 : i32
        %tie_23 = arith.andi %tie, %tie_22 : i1
        %gt = arith.cmpf ogt, %best_18, %best_20 : f32
        %gt_24 = arith.ori %gt, %tie_23 : i1
        %v_ret = arith.select %gt_24, %best_18, %best_20 : f32
        %i_ret = arith.select %gt_24, %best_19, %best_21 : i32
        tt.reduce.return %v_ret, %i_ret : f32, i32
      }) : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32)
      %best_16 = arith.addi %best_15#1, %n : i32
      %best_17 = arith.maxsi %best_1, %best_16 : i32
      scf.yield %cnt_14, %best_17 : i32, i32
    }
    %0 = tt.addptr %o, %r : !tt.ptr<i32>, i32
    tt.store %0, %best_0#0 : !tt.ptr<i32>
    %1 = tt.addptr %mean, %r : !tt.ptr<f32>, i32
    %2 = arith.sitofp %best_0#0 : i32 to f32
    %3 = arith.sitofp %N : i32 to f32
    %4 = arith.divf %2, %3 : f32
    tt.store %1, %4 : !tt.ptr<f32>
    tt.return
  }
}
