// The inverse of a triangular matrix, row by row: loops carry a row and a square, which become each other's parts.
// RUN: heddle run %s --device=emulate --interleavings=1 --scheduler=heuristic --grid=2 --input 'A=uniform(0,0.2)' \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @triangular(%A: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f32> {tt.divisibility = 16
      : i32}) attributes {noinline = false} {
    %c1_i32 = arith.constant 1 : i32
    %c256_i32 = arith.constant 256 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %cst_1 = arith.constant dense<16> : tensor<16x1xi32>
    %c16_i32 = arith.constant 16 : i32
    %b = tt.get_program_id x : i32
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %a = arith.muli %b, %c256_i32 : i32
    %a_2 = tt.addptr %A, %a : !tt.ptr<f32>, i32
    %a_3 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %a_4 = arith.muli %a_3, %cst_1 : tensor<16x1xi32>
    %a_5 = tt.splat %a_2 : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %a_6 = tt.addptr %a_5, %a_4 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %a_7 = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %a_8 = tt.broadcast %a_6 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x16x!tt.ptr<f32>>
    %a_9 = tt.broadcast %a_7 : tensor<1x16xi32> -> tensor<16x16xi32>
    %a_10 = tt.addptr %a_8, %a_9 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %a_11 = tt.load %a_10 : tensor<16x16x!tt.ptr<f32>>
    %a_12 = tt.broadcast %a_3 : tensor<16x1xi32> -> tensor<16x16xi32>
    %a_13 = arith.cmpi sgt, %a_12, %a_9 : tensor<16x16xi32>
    %a_14 = arith.select %a_13, %a_11, %cst_0 : tensor<16x16xi1>, tensor<16x16xf32>
    %a_15 = arith.subf %cst_0, %a_14 : tensor<16x16xf32>
    %a_16 = scf.for %i = %c1_i32 to %c16_i32 step %c1_i32 iter_args(%a_20 = %a_15) -> (tensor<16x16xf32>)  : i32 {
      %row = arith.muli %i, %c16_i32 : i32
      %row_21 = tt.addptr %a_2, %row : !tt.ptr<f32>, i32
      %row_22 = tt.splat %row_21 : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      %row_23 = tt.addptr %row_22, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      %row_24 = tt.load %row_23 : tensor<16x!tt.ptr<f32>>
      %row_25 = arith.subf %cst, %row_24 : tensor<16xf32>
      %row_26 = tt.splat %i : i32 -> tensor<16xi32>
      %row_27 = arith.cmpi slt, %r, %row_26 : tensor<16xi32>
      %row_28 = arith.select %row_27, %row_25, %cst : tensor<16xi1>, tensor<16xf32>
      %row_29 = tt.expand_dims %row_28 {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
      %row_30 = tt.broadcast %row_29 : tensor<16x1xf32> -> tensor<16x16xf32>
      %row_31 = arith.mulf %row_30, %a_20 : tensor<16x16xf32>
      %row_32 = "tt.reduce"(%row_31) <{axis = 0 : i32}> ({
      ^bb0(%row_40: f32, %row_41: f32):
        %row_42 = arith.addf %row_40, %row_41 : f32
        tt.reduce.return %row_42 : f32
      }) : (tensor<16x16xf32>) -> tensor<16xf32>
      %row_33 = arith.addf %row_28, %row_32 : tensor<16xf32>
      %a_34 = arith.cmpi eq, %r, %row_26 : tensor<16xi32>
      %a_35 = tt.expand_dims %a_34 {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
      %a_36 = tt.expand_dims %row_33 {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
      %a_37 = tt.broadcast %a_36 : tensor<1x16xf32> -> tensor<16x16xf32>
      %a_38 = tt.broadcast %a_35 : tensor<16x1xi1> -> tensor<16x16xi1>
      %a_39 = arith.select %a_38, %a_37, %a_20 : tensor<16x16xi1>, tensor<16x16xf32>
      scf.yield %a_39 : tensor<16x16xf32>
    }
    %a_17 = arith.cmpi eq, %a_12, %a_9 : tensor<16x16xi32>
    %a_18 = arith.uitofp %a_17 : tensor<16x16xi1> to tensor<16x16xf32>
    %a_19 = arith.addf %a_16, %a_18 : tensor<16x16xf32>
    %0 = tt.addptr %O, %a : !tt.ptr<f32>, i32
    %1 = tt.splat %0 : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %2 = tt.addptr %1, %a_4 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %3 = tt.broadcast %2 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x16x!tt.ptr<f32>>
    %4 = tt.addptr %3, %a_9 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    tt.store %4, %a_19 : tensor<16x16x!tt.ptr<f32>>
    tt.return
  }
}
