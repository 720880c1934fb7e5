// The row whose number is the place of the greatest value: a value of a tile decides the address.
// RUN: heddle run %s --device=sim --grid=4,1,1 --scalars=N=20,D=30 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4,1,1 --scalars=N=20,D=30 | FileCheck %s
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: no box: a value of a tile decides the address
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_pick(%s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32, %D: i32) {
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
    ^bb0(%j_8: f32, %j_9: i32, %j_10: f32, %j_11: i32):
      %tie = arith.cmpf oeq, %j_8, %j_10 : f32
      %tie_12 = arith.cmpi slt, %j_9, %j_11 : i32
      %tie_13 = arith.andi %tie, %tie_12 : i1
      %gt = arith.cmpf ogt, %j_8, %j_10 : f32
      %gt_14 = arith.ori %gt, %tie_13 : i1
      %v_ret = arith.select %gt_14, %j_8, %j_10 : f32
      %i_ret = arith.select %gt_14, %j_9, %j_11 : i32
      tt.reduce.return %v_ret, %i_ret : f32, i32
    }) : (tensor<32xf32>, tensor<32xi32>) -> (f32, i32)
    %0 = tt.splat %D : i32 -> tensor<32xi32>
    %1 = arith.cmpi slt, %c, %0 : tensor<32xi32>
    %2 = arith.muli %r, %D : i32
    %3 = tt.addptr %o, %2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %5 = tt.addptr %4, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %6 = arith.muli %j_7#1, %D : i32
    %7 = tt.addptr %x, %6 : !tt.ptr<f32>, i32
    %8 = tt.splat %7 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %9 = tt.addptr %8, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %10 = tt.load %9, %1 : tensor<32x!tt.ptr<f32>>
    tt.store %5, %10, %1 : tensor<32x!tt.ptr<f32>>
    tt.return
  }
}
