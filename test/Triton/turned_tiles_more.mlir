// Permutations of three dimensions in the other sense: parts are turned one by one.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_perm4(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}) {
    %cst = arith.constant dense<2.000000e+00> : tensor<8x4x16xf32>
    %cst_0 = arith.constant dense<16> : tensor<1x4x1xi32>
    %cst_1 = arith.constant dense<16> : tensor<8x1x1xi32>
    %cst_2 = arith.constant dense<4> : tensor<8x1x1xi32>
    %c512_i32 = arith.constant 512 : i32
    %cst_3 = arith.constant dense<2.000000e+00> : tensor<16x8x4xf32>
    %cst_4 = arith.constant dense<4> : tensor<1x8x1xi32>
    %cst_5 = arith.constant dense<8> : tensor<16x1x1xi32>
    %cst_6 = arith.constant dense<4> : tensor<16x1x1xi32>
    %cst_7 = arith.constant dense<16> : tensor<1x8x1xi32>
    %cst_8 = arith.constant dense<16> : tensor<4x1x1xi32>
    %cst_9 = arith.constant dense<8> : tensor<4x1x1xi32>
    %a = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %a_10 = tt.expand_dims %a {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %a_11 = tt.expand_dims %a_10 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
    %b = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %b_12 = tt.expand_dims %b {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %b_13 = tt.expand_dims %b_12 {axis = 2 : i32} : tensor<1x8xi32> -> tensor<1x8x1xi32>
    %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %c_14 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %c_15 = tt.expand_dims %c_14 {axis = 1 : i32} : tensor<1x16xi32> -> tensor<1x1x16xi32>
    %v = arith.muli %a_11, %cst_9 : tensor<4x1x1xi32>
    %v_16 = arith.muli %v, %cst_8 : tensor<4x1x1xi32>
    %v_17 = tt.splat %x : !tt.ptr<f32> -> tensor<4x1x1x!tt.ptr<f32>>
    %v_18 = tt.addptr %v_17, %v_16 : tensor<4x1x1x!tt.ptr<f32>>, tensor<4x1x1xi32>
    %v_19 = arith.muli %b_13, %cst_7 : tensor<1x8x1xi32>
    %v_20 = tt.broadcast %v_18 : tensor<4x1x1x!tt.ptr<f32>> -> tensor<4x8x1x!tt.ptr<f32>>
    %v_21 = tt.broadcast %v_19 : tensor<1x8x1xi32> -> tensor<4x8x1xi32>
    %v_22 = tt.addptr %v_20, %v_21 : tensor<4x8x1x!tt.ptr<f32>>, tensor<4x8x1xi32>
    %v_23 = tt.broadcast %v_22 : tensor<4x8x1x!tt.ptr<f32>> -> tensor<4x8x16x!tt.ptr<f32>>
    %v_24 = tt.broadcast %c_15 : tensor<1x1x16xi32> -> tensor<4x8x16xi32>
    %v_25 = tt.addptr %v_23, %v_24 : tensor<4x8x16x!tt.ptr<f32>>, tensor<4x8x16xi32>
    %v_26 = tt.load %v_25 : tensor<4x8x16x!tt.ptr<f32>>
    %v_27 = tt.trans %v_26 {order = array<i32: 2, 1, 0>} : tensor<4x8x16xf32> -> tensor<16x8x4xf32>
    %0 = tt.expand_dims %c {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %1 = tt.expand_dims %0 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
    %2 = arith.muli %1, %cst_6 : tensor<16x1x1xi32>
    %3 = arith.muli %2, %cst_5 : tensor<16x1x1xi32>
    %4 = tt.splat %o : !tt.ptr<f32> -> tensor<16x1x1x!tt.ptr<f32>>
    %5 = tt.addptr %4, %3 : tensor<16x1x1x!tt.ptr<f32>>, tensor<16x1x1xi32>
    %6 = arith.muli %b_13, %cst_4 : tensor<1x8x1xi32>
    %7 = tt.broadcast %5 : tensor<16x1x1x!tt.ptr<f32>> -> tensor<16x8x1x!tt.ptr<f32>>
    %8 = tt.broadcast %6 : tensor<1x8x1xi32> -> tensor<16x8x1xi32>
    %9 = tt.addptr %7, %8 : tensor<16x8x1x!tt.ptr<f32>>, tensor<16x8x1xi32>
    %10 = tt.expand_dims %a {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    %11 = tt.expand_dims %10 {axis = 1 : i32} : tensor<1x4xi32> -> tensor<1x1x4xi32>
    %12 = tt.broadcast %9 : tensor<16x8x1x!tt.ptr<f32>> -> tensor<16x8x4x!tt.ptr<f32>>
    %13 = tt.broadcast %11 : tensor<1x1x4xi32> -> tensor<16x8x4xi32>
    %14 = tt.addptr %12, %13 : tensor<16x8x4x!tt.ptr<f32>>, tensor<16x8x4xi32>
    %15 = arith.mulf %v_27, %cst_3 : tensor<16x8x4xf32>
    tt.store %14, %15 : tensor<16x8x4x!tt.ptr<f32>>
    %v_28 = tt.load %v_25 : tensor<4x8x16x!tt.ptr<f32>>
    %v_29 = tt.trans %v_28 {order = array<i32: 1, 0, 2>} : tensor<4x8x16xf32> -> tensor<8x4x16xf32>
    %16 = tt.addptr %o, %c512_i32 : !tt.ptr<f32>, i32
    %17 = tt.expand_dims %b {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %18 = tt.expand_dims %17 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
    %19 = arith.muli %18, %cst_2 : tensor<8x1x1xi32>
    %20 = arith.muli %19, %cst_1 : tensor<8x1x1xi32>
    %21 = tt.splat %16 : !tt.ptr<f32> -> tensor<8x1x1x!tt.ptr<f32>>
    %22 = tt.addptr %21, %20 : tensor<8x1x1x!tt.ptr<f32>>, tensor<8x1x1xi32>
    %23 = tt.expand_dims %10 {axis = 2 : i32} : tensor<1x4xi32> -> tensor<1x4x1xi32>
    %24 = arith.muli %23, %cst_0 : tensor<1x4x1xi32>
    %25 = tt.broadcast %22 : tensor<8x1x1x!tt.ptr<f32>> -> tensor<8x4x1x!tt.ptr<f32>>
    %26 = tt.broadcast %24 : tensor<1x4x1xi32> -> tensor<8x4x1xi32>
    %27 = tt.addptr %25, %26 : tensor<8x4x1x!tt.ptr<f32>>, tensor<8x4x1xi32>
    %28 = tt.broadcast %27 : tensor<8x4x1x!tt.ptr<f32>> -> tensor<8x4x16x!tt.ptr<f32>>
    %29 = tt.broadcast %c_15 : tensor<1x1x16xi32> -> tensor<8x4x16xi32>
    %30 = tt.addptr %28, %29 : tensor<8x4x16x!tt.ptr<f32>>, tensor<8x4x16xi32>
    %31 = arith.mulf %v_29, %cst : tensor<8x4x16xf32>
    tt.store %30, %31 : tensor<8x4x16x!tt.ptr<f32>>
    tt.return
  }
}
