// The last of three dimensions comes first: a transpose of two.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_perm(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<2.000000e+00> : tensor<16x4x8xf32>
    %cst_0 = arith.constant dense<8> : tensor<1x4x1xi32>
    %cst_1 = arith.constant dense<8> : tensor<16x1x1xi32>
    %cst_2 = arith.constant dense<4> : tensor<16x1x1xi32>
    %v = arith.constant dense<16> : tensor<1x8x1xi32>
    %v_3 = arith.constant dense<16> : tensor<4x1x1xi32>
    %v_4 = arith.constant dense<8> : tensor<4x1x1xi32>
    %a = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %a_5 = tt.expand_dims %a {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %a_6 = tt.expand_dims %a_5 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
    %b = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %b_7 = tt.expand_dims %b {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %b_8 = tt.expand_dims %b_7 {axis = 2 : i32} : tensor<1x8xi32> -> tensor<1x8x1xi32>
    %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %c_9 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %c_10 = tt.expand_dims %c_9 {axis = 1 : i32} : tensor<1x16xi32> -> tensor<1x1x16xi32>
    %v_11 = arith.muli %a_6, %v_4 : tensor<4x1x1xi32>
    %v_12 = arith.muli %v_11, %v_3 : tensor<4x1x1xi32>
    %v_13 = tt.splat %x : !tt.ptr<f32> -> tensor<4x1x1x!tt.ptr<f32>>
    %v_14 = tt.addptr %v_13, %v_12 : tensor<4x1x1x!tt.ptr<f32>>, tensor<4x1x1xi32>
    %v_15 = arith.muli %b_8, %v : tensor<1x8x1xi32>
    %v_16 = tt.broadcast %v_14 : tensor<4x1x1x!tt.ptr<f32>> -> tensor<4x8x1x!tt.ptr<f32>>
    %v_17 = tt.broadcast %v_15 : tensor<1x8x1xi32> -> tensor<4x8x1xi32>
    %v_18 = tt.addptr %v_16, %v_17 : tensor<4x8x1x!tt.ptr<f32>>, tensor<4x8x1xi32>
    %v_19 = tt.broadcast %v_18 : tensor<4x8x1x!tt.ptr<f32>> -> tensor<4x8x16x!tt.ptr<f32>>
    %v_20 = tt.broadcast %c_10 : tensor<1x1x16xi32> -> tensor<4x8x16xi32>
    %v_21 = tt.addptr %v_19, %v_20 : tensor<4x8x16x!tt.ptr<f32>>, tensor<4x8x16xi32>
    %v_22 = tt.load %v_21 : tensor<4x8x16x!tt.ptr<f32>>
    %v_23 = tt.trans %v_22 {order = array<i32: 2, 0, 1>} : tensor<4x8x16xf32> -> tensor<16x4x8xf32>
    %0 = tt.expand_dims %c {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %1 = tt.expand_dims %0 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
    %2 = arith.muli %1, %cst_2 : tensor<16x1x1xi32>
    %3 = arith.muli %2, %cst_1 : tensor<16x1x1xi32>
    %4 = tt.splat %o : !tt.ptr<f32> -> tensor<16x1x1x!tt.ptr<f32>>
    %5 = tt.addptr %4, %3 : tensor<16x1x1x!tt.ptr<f32>>, tensor<16x1x1xi32>
    %6 = tt.expand_dims %a {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<1x4xi32> -> tensor<1x4x1xi32>
    %8 = arith.muli %7, %cst_0 : tensor<1x4x1xi32>
    %9 = tt.broadcast %5 : tensor<16x1x1x!tt.ptr<f32>> -> tensor<16x4x1x!tt.ptr<f32>>
    %10 = tt.broadcast %8 : tensor<1x4x1xi32> -> tensor<16x4x1xi32>
    %11 = tt.addptr %9, %10 : tensor<16x4x1x!tt.ptr<f32>>, tensor<16x4x1xi32>
    %12 = tt.expand_dims %b_7 {axis = 1 : i32} : tensor<1x8xi32> -> tensor<1x1x8xi32>
    %13 = tt.broadcast %11 : tensor<16x4x1x!tt.ptr<f32>> -> tensor<16x4x8x!tt.ptr<f32>>
    %14 = tt.broadcast %12 : tensor<1x1x8xi32> -> tensor<16x4x8xi32>
    %15 = tt.addptr %13, %14 : tensor<16x4x8x!tt.ptr<f32>>, tensor<16x4x8xi32>
    %16 = arith.mulf %v_23, %cst : tensor<16x4x8xf32>
    tt.store %15, %16 : tensor<16x4x8x!tt.ptr<f32>>
    tt.return
  }
}
