// What is positive is stored one after the other: rows that sums of a tile name, under a mask that only the tile
// knows.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=N=100 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=N=100 | FileCheck %s
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: no box: the mask of rows that a tile names is no comparison of numbers
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_comp(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %cnt: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %N: i32) {
    %p = arith.constant dense<1> : tensor<128xi32>
    %cst = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %v = tt.splat %N : i32 -> tensor<128xi32>
    %v_0 = arith.cmpi slt, %i, %v : tensor<128xi32>
    %v_1 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %v_2 = tt.addptr %v_1, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v_3 = tt.load %v_2, %v_0, %cst : tensor<128x!tt.ptr<f32>>
    %k = arith.cmpf ogt, %v_3, %cst : tensor<128xf32>
    %k_4 = arith.andi %k, %v_0 : tensor<128xi1>
    %p_5 = arith.extui %k_4 : tensor<128xi1> to tensor<128xi32>
    %p_6 = "tt.scan"(%p_5) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%p_8: i32, %p_9: i32):
      %p_10 = arith.addi %p_8, %p_9 : i32
      tt.scan.return %p_10 : i32
    }) : (tensor<128xi32>) -> tensor<128xi32>
    %p_7 = arith.subi %p_6, %p : tensor<128xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %1 = tt.addptr %0, %p_7 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %1, %v_3, %k_4 : tensor<128x!tt.ptr<f32>>
    %2 = tt.reshape %p_5 allow_reorder : tensor<128xi32> -> tensor<128xi32>
    %3 = "tt.reduce"(%2) <{axis = 0 : i32}> ({
    ^bb0(%arg4: i32, %arg5: i32):
      %4 = arith.addi %arg4, %arg5 : i32
      tt.reduce.return %4 : i32
    }) : (tensor<128xi32>) -> i32
    tt.store %cnt, %3 : !tt.ptr<i32>
    tt.return
  }
}
