// A group of heads of each program: rows of constant distance, a constant number of them.
// RUN: heddle run %s --device=sim --grid=2,2 --scalars=s=512 \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @heads(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %s: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<16x64xf16>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<16x64xf16>
    %cst_1 = arith.constant dense<4> : tensor<16x1xi32>
    %at = arith.constant dense<64> : tensor<16x1xi32>
    %c4_i32 = arith.constant 4 : i32
    %b = tt.get_program_id x : i32
    %h = tt.get_program_id y : i32
    %g = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %at_2 = arith.muli %b, %s : i32
    %at_3 = arith.muli %h, %c4_i32 : i32
    %at_4 = tt.splat %at_3 : i32 -> tensor<16xi32>
    %at_5 = arith.addi %at_4, %g : tensor<16xi32>
    %at_6 = tt.expand_dims %at_5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %at_7 = arith.muli %at_6, %at : tensor<16x1xi32>
    %at_8 = tt.splat %at_2 : i32 -> tensor<16x1xi32>
    %at_9 = arith.addi %at_8, %at_7 : tensor<16x1xi32>
    %at_10 = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %at_11 = tt.broadcast %at_9 : tensor<16x1xi32> -> tensor<16x64xi32>
    %at_12 = tt.broadcast %at_10 : tensor<1x64xi32> -> tensor<16x64xi32>
    %at_13 = arith.addi %at_11, %at_12 : tensor<16x64xi32>
    %0 = tt.expand_dims %g {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %1 = arith.cmpi slt, %0, %cst_1 : tensor<16x1xi32>
    %2 = tt.splat %O : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
    %3 = tt.addptr %2, %at_13 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %4 = tt.splat %X : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
    %5 = tt.addptr %4, %at_13 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %6 = tt.broadcast %1 : tensor<16x1xi1> -> tensor<16x64xi1>
    %7 = tt.load %5, %6, %cst : tensor<16x64x!tt.ptr<f16>>
    %8 = arith.addf %7, %cst_0 : tensor<16x64xf16>
    tt.store %3, %8, %6 : tensor<16x64x!tt.ptr<f16>>
    tt.return
  }
}
