// Products of three dimensions: one for each of the first, in a loop that their sums go through.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=T=96 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=T=96 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_dot3loop(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %T: i32 {tt.divisibility = 16 : i32}) {
    %acc = arith.constant dense<0.000000e+00> : tensor<2x64x32xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<2x32x32xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<2x64x32xf16>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<32> : tensor<1x64x1xi32>
    %cst_2 = arith.constant dense<32> : tensor<1x32x1xi32>
    %cst_3 = arith.constant dense<32> : tensor<2x1x1xi32>
    %cst_4 = arith.constant dense<64> : tensor<2x1x1xi32>
    %rb = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %rb_5 = tt.expand_dims %rb {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
    %rb_6 = tt.expand_dims %rb_5 {axis = 2 : i32} : tensor<2x1xi32> -> tensor<2x1x1xi32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m_7 = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %m_8 = tt.expand_dims %m_7 {axis = 2 : i32} : tensor<1x64xi32> -> tensor<1x64x1xi32>
    %n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %n_9 = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %n_10 = tt.expand_dims %n_9 {axis = 1 : i32} : tensor<1x32xi32> -> tensor<1x1x32xi32>
    %acc_11 = scf.for %k = %c0_i32 to %T step %c32_i32 iter_args(%acc_12 = %acc) -> (tensor<2x64x32xf32>)  : i32 {
      %kk = tt.splat %k : i32 -> tensor<32xi32>
      %kk_13 = arith.addi %kk, %n : tensor<32xi32>
      %x = tt.expand_dims %kk_13 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %x_14 = tt.expand_dims %x {axis = 1 : i32} : tensor<1x32xi32> -> tensor<1x1x32xi32>
      %x_15 = tt.splat %T : i32 -> tensor<1x1x32xi32>
      %x_16 = arith.cmpi slt, %x_14, %x_15 : tensor<1x1x32xi32>
      %x_17 = arith.muli %rb_6, %cst_4 : tensor<2x1x1xi32>
      %x_18 = tt.splat %T : i32 -> tensor<2x1x1xi32>
      %x_19 = arith.muli %x_17, %x_18 : tensor<2x1x1xi32>
      %x_20 = tt.splat %a : !tt.ptr<f16> -> tensor<2x1x1x!tt.ptr<f16>>
      %x_21 = tt.addptr %x_20, %x_19 : tensor<2x1x1x!tt.ptr<f16>>, tensor<2x1x1xi32>
      %x_22 = tt.splat %T : i32 -> tensor<1x64x1xi32>
      %x_23 = arith.muli %m_8, %x_22 : tensor<1x64x1xi32>
      %x_24 = tt.broadcast %x_21 : tensor<2x1x1x!tt.ptr<f16>> -> tensor<2x64x1x!tt.ptr<f16>>
      %x_25 = tt.broadcast %x_23 : tensor<1x64x1xi32> -> tensor<2x64x1xi32>
      %x_26 = tt.addptr %x_24, %x_25 : tensor<2x64x1x!tt.ptr<f16>>, tensor<2x64x1xi32>
      %x_27 = tt.broadcast %x_26 : tensor<2x64x1x!tt.ptr<f16>> -> tensor<2x64x32x!tt.ptr<f16>>
      %x_28 = tt.broadcast %x_14 : tensor<1x1x32xi32> -> tensor<2x64x32xi32>
      %x_29 = tt.addptr %x_27, %x_28 : tensor<2x64x32x!tt.ptr<f16>>, tensor<2x64x32xi32>
      %x_30 = tt.broadcast %x_16 : tensor<1x1x32xi1> -> tensor<2x64x32xi1>
      %x_31 = tt.load %x_29, %x_30, %cst_0 : tensor<2x64x32x!tt.ptr<f16>>
      %y = tt.expand_dims %x {axis = 2 : i32} : tensor<1x32xi32> -> tensor<1x32x1xi32>
      %y_32 = tt.splat %T : i32 -> tensor<1x32x1xi32>
      %y_33 = arith.cmpi slt, %y, %y_32 : tensor<1x32x1xi32>
      %y_34 = arith.muli %rb_6, %x_18 : tensor<2x1x1xi32>
      %y_35 = arith.muli %y_34, %cst_3 : tensor<2x1x1xi32>
      %y_36 = tt.splat %b : !tt.ptr<f16> -> tensor<2x1x1x!tt.ptr<f16>>
      %y_37 = tt.addptr %y_36, %y_35 : tensor<2x1x1x!tt.ptr<f16>>, tensor<2x1x1xi32>
      %y_38 = arith.muli %y, %cst_2 : tensor<1x32x1xi32>
      %y_39 = tt.broadcast %y_37 : tensor<2x1x1x!tt.ptr<f16>> -> tensor<2x32x1x!tt.ptr<f16>>
      %y_40 = tt.broadcast %y_38 : tensor<1x32x1xi32> -> tensor<2x32x1xi32>
      %y_41 = tt.addptr %y_39, %y_40 : tensor<2x32x1x!tt.ptr<f16>>, tensor<2x32x1xi32>
      %y_42 = tt.broadcast %y_41 : tensor<2x32x1x!tt.ptr<f16>> -> tensor<2x32x32x!tt.ptr<f16>>
      %y_43 = tt.broadcast %n_10 : tensor<1x1x32xi32> -> tensor<2x32x32xi32>
      %y_44 = tt.addptr %y_42, %y_43 : tensor<2x32x32x!tt.ptr<f16>>, tensor<2x32x32xi32>
      %y_45 = tt.broadcast %y_33 : tensor<1x32x1xi1> -> tensor<2x32x32xi1>
      %y_46 = tt.load %y_44, %y_45, %cst : tensor<2x32x32x!tt.ptr<f16>>
      %acc_47 = tt.dot %x_31, %y_46, %acc_12, inputPrecision = tf32 : tensor<2x64x32xf16> * tensor<2x32x32xf16> ->
            tensor<2x64x32xf32>
      scf.yield %acc_47 : tensor<2x64x32xf32>
    }
    %0 = arith.muli %rb_6, %cst_4 : tensor<2x1x1xi32>
    %1 = arith.muli %0, %cst_3 : tensor<2x1x1xi32>
    %2 = tt.splat %o : !tt.ptr<f32> -> tensor<2x1x1x!tt.ptr<f32>>
    %3 = tt.addptr %2, %1 : tensor<2x1x1x!tt.ptr<f32>>, tensor<2x1x1xi32>
    %4 = arith.muli %m_8, %cst_1 : tensor<1x64x1xi32>
    %5 = tt.broadcast %3 : tensor<2x1x1x!tt.ptr<f32>> -> tensor<2x64x1x!tt.ptr<f32>>
    %6 = tt.broadcast %4 : tensor<1x64x1xi32> -> tensor<2x64x1xi32>
    %7 = tt.addptr %5, %6 : tensor<2x64x1x!tt.ptr<f32>>, tensor<2x64x1xi32>
    %8 = tt.broadcast %7 : tensor<2x64x1x!tt.ptr<f32>> -> tensor<2x64x32x!tt.ptr<f32>>
    %9 = tt.broadcast %n_10 : tensor<1x1x32xi32> -> tensor<2x64x32xi32>
    %10 = tt.addptr %8, %9 : tensor<2x64x32x!tt.ptr<f32>>, tensor<2x64x32xi32>
    tt.store %10, %acc_11 : tensor<2x64x32x!tt.ptr<f32>>
    tt.return
  }
}
