// Products of three dimensions whose operands have fewer rows than an instruction takes: each is a part of a larger
// one.
// RUN: heddle run %s --device=sim --grid=2,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_dot3(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<4x32x32xf32>
    %cst_0 = arith.constant dense<32> : tensor<1x32x1xi32>
    %cst_1 = arith.constant dense<32> : tensor<4x1x1xi32>
    %c4_i32 = arith.constant 4 : i32
    %pb = tt.get_program_id x : i32
    %pb_2 = arith.muli %pb, %c4_i32 : i32
    %rb = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %rb_3 = tt.splat %pb_2 : i32 -> tensor<4xi32>
    %rb_4 = arith.addi %rb_3, %rb : tensor<4xi32>
    %rb_5 = tt.expand_dims %rb_4 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %rb_6 = tt.expand_dims %rb_5 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
    %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %m_7 = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %m_8 = tt.expand_dims %m_7 {axis = 2 : i32} : tensor<1x32xi32> -> tensor<1x32x1xi32>
    %n = tt.expand_dims %m_7 {axis = 1 : i32} : tensor<1x32xi32> -> tensor<1x1x32xi32>
    %x = arith.muli %rb_6, %cst_1 : tensor<4x1x1xi32>
    %x_9 = arith.muli %x, %cst_1 : tensor<4x1x1xi32>
    %x_10 = tt.splat %a : !tt.ptr<f16> -> tensor<4x1x1x!tt.ptr<f16>>
    %x_11 = tt.addptr %x_10, %x_9 : tensor<4x1x1x!tt.ptr<f16>>, tensor<4x1x1xi32>
    %x_12 = arith.muli %m_8, %cst_0 : tensor<1x32x1xi32>
    %x_13 = tt.broadcast %x_11 : tensor<4x1x1x!tt.ptr<f16>> -> tensor<4x32x1x!tt.ptr<f16>>
    %x_14 = tt.broadcast %x_12 : tensor<1x32x1xi32> -> tensor<4x32x1xi32>
    %x_15 = tt.addptr %x_13, %x_14 : tensor<4x32x1x!tt.ptr<f16>>, tensor<4x32x1xi32>
    %x_16 = tt.broadcast %x_15 : tensor<4x32x1x!tt.ptr<f16>> -> tensor<4x32x32x!tt.ptr<f16>>
    %x_17 = tt.broadcast %n : tensor<1x1x32xi32> -> tensor<4x32x32xi32>
    %x_18 = tt.addptr %x_16, %x_17 : tensor<4x32x32x!tt.ptr<f16>>, tensor<4x32x32xi32>
    %x_19 = tt.load %x_18 : tensor<4x32x32x!tt.ptr<f16>>
    %y = tt.splat %b : !tt.ptr<f16> -> tensor<4x1x1x!tt.ptr<f16>>
    %y_20 = tt.addptr %y, %x_9 : tensor<4x1x1x!tt.ptr<f16>>, tensor<4x1x1xi32>
    %y_21 = tt.broadcast %y_20 : tensor<4x1x1x!tt.ptr<f16>> -> tensor<4x32x1x!tt.ptr<f16>>
    %y_22 = tt.addptr %y_21, %x_14 : tensor<4x32x1x!tt.ptr<f16>>, tensor<4x32x1xi32>
    %y_23 = tt.broadcast %y_22 : tensor<4x32x1x!tt.ptr<f16>> -> tensor<4x32x32x!tt.ptr<f16>>
    %y_24 = tt.addptr %y_23, %x_17 : tensor<4x32x32x!tt.ptr<f16>>, tensor<4x32x32xi32>
    %y_25 = tt.load %y_24 : tensor<4x32x32x!tt.ptr<f16>>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<4x1x1x!tt.ptr<f32>>
    %1 = tt.addptr %0, %x_9 : tensor<4x1x1x!tt.ptr<f32>>, tensor<4x1x1xi32>
    %2 = tt.broadcast %1 : tensor<4x1x1x!tt.ptr<f32>> -> tensor<4x32x1x!tt.ptr<f32>>
    %3 = tt.addptr %2, %x_14 : tensor<4x32x1x!tt.ptr<f32>>, tensor<4x32x1xi32>
    %4 = tt.broadcast %3 : tensor<4x32x1x!tt.ptr<f32>> -> tensor<4x32x32x!tt.ptr<f32>>
    %5 = tt.addptr %4, %x_17 : tensor<4x32x32x!tt.ptr<f32>>, tensor<4x32x32xi32>
    %6 = tt.dot %x_19, %y_25, %cst, inputPrecision = tf32 : tensor<4x32x32xf16> * tensor<4x32x32xf16> ->
          tensor<4x32x32xf32>
    tt.store %5, %6 : tensor<4x32x32x!tt.ptr<f32>>
    tt.return
  }
}
