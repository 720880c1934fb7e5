// Blocks that end with a sequence: the first one begins before it, by a difference of numbers that memory gives, which
// may be negative. The lower bound of the mask is one, and no box of a view has it.
// RUN: heddle run %s --device=sim --grid=2 --scalars=sx=64,sy=64 --input 'BEG=arange(3,70)' --input 'END=arange(73,70)' \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: element by element of view 'X'
// EXPLAIN: no box: the lower bound
tt.func @wk(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %Y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %BEG:
    !tt.ptr<i32> {tt.divisibility = 16 : i32}, %END: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %LIM:
    !tt.ptr<i32> {tt.divisibility = 16 : i32}, %BIAS: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %SC:
    !tt.ptr<f32> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %O2: !tt.ptr<f32>
    {tt.divisibility = 16 : i32}, %K: i32, %N: i32 {tt.divisibility = 16 : i32}, %sx: i32 {tt.divisibility = 16
    : i32}, %sy: i32 {tt.divisibility = 16 : i32}) {
  %n = arith.constant 63 : i32
  %c4096_i32 = arith.constant 4096 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_0 = arith.constant dense<64> : tensor<64x1xi32>
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %cst_2 = arith.constant dense<0> : tensor<64xi32>
  %c64_i32 = arith.constant 64 : i32
  %e = tt.get_program_id x : i32
  %r0 = tt.addptr %BEG, %e : !tt.ptr<i32>, i32
  %r0_3 = tt.load %r0 : !tt.ptr<i32>
  %r1 = tt.addptr %END, %e : !tt.ptr<i32>, i32
  %r1_4 = tt.load %r1 : !tt.ptr<i32>
  %T = arith.subi %r1_4, %r0_3 : i32
  %ok = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %n_5 = arith.addi %T, %n : i32
  %n_6 = arith.divsi %n_5, %c64_i32 : i32
  %acc = scf.for %i = %c0_i32 to %n_6 step %c1_i32 iter_args(%acc_7 = %cst_1) -> (tensor<64x64xf32>)  : i32 {
    %t = arith.subi %n_6, %i : i32
    %t_8 = arith.muli %t, %c64_i32 : i32
    %t_9 = arith.subi %T, %t_8 : i32
    %t_10 = tt.splat %t_9 : i32 -> tensor<64xi32>
    %t_11 = arith.addi %t_10, %ok : tensor<64xi32>
    %x = arith.cmpi sge, %t_11, %cst_2 : tensor<64xi32>
    %x_12 = tt.splat %T : i32 -> tensor<64xi32>
    %x_13 = arith.cmpi slt, %t_11, %x_12 : tensor<64xi32>
    %x_14 = arith.andi %x, %x_13 : tensor<64xi1>
    %x_15 = tt.expand_dims %x_14 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %x_16 = tt.splat %r0_3 : i32 -> tensor<64xi32>
    %x_17 = arith.addi %x_16, %t_11 : tensor<64xi32>
    %x_18 = tt.expand_dims %x_17 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_19 = tt.splat %sx : i32 -> tensor<1x64xi32>
    %x_20 = arith.muli %x_18, %x_19 : tensor<1x64xi32>
    %x_21 = tt.splat %X : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
    %x_22 = tt.addptr %x_21, %x_20 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
    %x_23 = tt.expand_dims %ok {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %x_24 = tt.broadcast %x_22 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %x_25 = tt.broadcast %x_23 : tensor<64x1xi32> -> tensor<64x64xi32>
    %x_26 = tt.addptr %x_24, %x_25 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x_27 = tt.broadcast %x_15 : tensor<1x64xi1> -> tensor<64x64xi1>
    %x_28 = tt.load %x_26, %x_27, %cst : tensor<64x64x!tt.ptr<f16>>
    %y = tt.expand_dims %x {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %y_29 = tt.expand_dims %x_17 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %y_30 = tt.splat %sy : i32 -> tensor<64x1xi32>
    %y_31 = arith.muli %y_29, %y_30 : tensor<64x1xi32>
    %y_32 = tt.splat %Y : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %y_33 = tt.addptr %y_32, %y_31 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %y_34 = tt.expand_dims %ok {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %y_35 = tt.broadcast %y_33 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %y_36 = tt.broadcast %y_34 : tensor<1x64xi32> -> tensor<64x64xi32>
    %y_37 = tt.addptr %y_35, %y_36 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %y_38 = tt.broadcast %y : tensor<64x1xi1> -> tensor<64x64xi1>
    %y_39 = tt.load %y_37, %y_38, %cst : tensor<64x64x!tt.ptr<f16>>
    %acc_40 = tt.dot %x_28, %y_39, %acc_7 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %acc_40 : tensor<64x64xf32>
  }
  %0 = arith.muli %e, %c4096_i32 : i32
  %1 = tt.addptr %O, %0 : !tt.ptr<f32>, i32
  %2 = tt.expand_dims %ok {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %3 = arith.muli %2, %cst_0 : tensor<64x1xi32>
  %4 = tt.splat %1 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %5 = tt.addptr %4, %3 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %6 = tt.expand_dims %ok {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %7 = tt.broadcast %5 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %8 = tt.broadcast %6 : tensor<1x64xi32> -> tensor<64x64xi32>
  %9 = tt.addptr %7, %8 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %9, %acc : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
