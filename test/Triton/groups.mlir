// Rows of groups whose ends memory names: gathered to the end, and stored to the end.
// RUN: heddle run %s --device=sim --grid=3,2 --scalars=N=70,K=40,sa=40,se=2800,sb=40,sc=72 \
// RUN:   --input 'offsets=arange(0,75)' \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3,2 --scalars=N=70,K=40,sa=40,se=2800,sb=40,sc=72 \
// RUN:   --input 'offsets=arange(0,75)' \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @groups(%A: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %B: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %C: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %offsets: !tt.ptr<i32> {tt.divisibility = 16 : i32},
      %N: i32, %K: i32, %sa: i32 {tt.divisibility = 16 : i32}, %se: i32 {tt.divisibility = 16 : i32},
      %sb: i32 {tt.divisibility = 16 : i32}, %sc: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %hi = arith.constant 1 : i32
    %e = tt.get_program_id x : i32
    %pn = tt.get_program_id y : i32
    %lo = tt.addptr %offsets, %e : !tt.ptr<i32>, i32
    %lo_2 = tt.load %lo : !tt.ptr<i32>
    %hi_3 = tt.addptr %lo, %hi : !tt.ptr<i32>, i32
    %hi_4 = tt.load %hi_3 : !tt.ptr<i32>
    %rn = arith.muli %pn, %c64_i32 : i32
    %rn_5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rn_6 = tt.splat %rn : i32 -> tensor<64xi32>
    %rn_7 = arith.addi %rn_6, %rn_5 : tensor<64xi32>
    %rk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    scf.for %first = %lo_2 to %hi_4 step %c64_i32  : i32 {
      %rm = tt.splat %first : i32 -> tensor<64xi32>
      %rm_8 = arith.addi %rm, %rn_5 : tensor<64xi32>
      %acc = scf.for %k = %c0_i32 to %K step %c32_i32 iter_args(%acc_9 = %cst) -> (tensor<64x64xf32>)  : i32 {
        %x = tt.expand_dims %rm_8 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
        %x_10 = tt.splat %hi_4 : i32 -> tensor<64x1xi32>
        %x_11 = arith.cmpi slt, %x, %x_10 : tensor<64x1xi32>
        %x_12 = tt.splat %k : i32 -> tensor<32xi32>
        %x_13 = arith.addi %x_12, %rk : tensor<32xi32>
        %x_14 = tt.expand_dims %x_13 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
        %x_15 = tt.splat %K : i32 -> tensor<1x32xi32>
        %x_16 = arith.cmpi slt, %x_14, %x_15 : tensor<1x32xi32>
        %x_17 = tt.broadcast %x_11 : tensor<64x1xi1> -> tensor<64x32xi1>
        %x_18 = tt.broadcast %x_16 : tensor<1x32xi1> -> tensor<64x32xi1>
        %x_19 = arith.andi %x_17, %x_18 : tensor<64x32xi1>
        %x_20 = tt.splat %sa : i32 -> tensor<64x1xi32>
        %x_21 = arith.muli %x, %x_20 : tensor<64x1xi32>
        %x_22 = tt.splat %A : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
        %x_23 = tt.addptr %x_22, %x_21 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
        %x_24 = tt.broadcast %x_23 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
        %x_25 = tt.broadcast %x_14 : tensor<1x32xi32> -> tensor<64x32xi32>
        %x_26 = tt.addptr %x_24, %x_25 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
        %x_27 = tt.load %x_26, %x_19, %cst_1 : tensor<64x32x!tt.ptr<f16>>
        %y = tt.expand_dims %rn_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
        %y_28 = tt.splat %N : i32 -> tensor<1x64xi32>
        %y_29 = arith.cmpi slt, %y, %y_28 : tensor<1x64xi32>
        %y_30 = tt.expand_dims %x_13 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
        %y_31 = tt.splat %K : i32 -> tensor<32x1xi32>
        %y_32 = arith.cmpi slt, %y_30, %y_31 : tensor<32x1xi32>
        %y_33 = tt.broadcast %y_29 : tensor<1x64xi1> -> tensor<32x64xi1>
        %y_34 = tt.broadcast %y_32 : tensor<32x1xi1> -> tensor<32x64xi1>
        %y_35 = arith.andi %y_33, %y_34 : tensor<32x64xi1>
        %y_36 = arith.muli %e, %se : i32
        %y_37 = tt.addptr %B, %y_36 : !tt.ptr<f16>, i32
        %y_38 = tt.splat %sb : i32 -> tensor<1x64xi32>
        %y_39 = arith.muli %y, %y_38 : tensor<1x64xi32>
        %y_40 = tt.splat %y_37 : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
        %y_41 = tt.addptr %y_40, %y_39 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
        %y_42 = tt.broadcast %y_41 : tensor<1x64x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
        %y_43 = tt.broadcast %y_30 : tensor<32x1xi32> -> tensor<32x64xi32>
        %y_44 = tt.addptr %y_42, %y_43 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
        %y_45 = tt.load %y_44, %y_35, %cst_0 : tensor<32x64x!tt.ptr<f16>>
        %acc_46 = tt.dot %x_27, %y_45, %acc_9, inputPrecision = tf32
            : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
        scf.yield %acc_46 : tensor<64x64xf32>
      }
      %0 = tt.expand_dims %rm_8 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %1 = tt.splat %hi_4 : i32 -> tensor<64x1xi32>
      %2 = arith.cmpi slt, %0, %1 : tensor<64x1xi32>
      %3 = tt.expand_dims %rn_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %4 = tt.splat %N : i32 -> tensor<1x64xi32>
      %5 = arith.cmpi slt, %3, %4 : tensor<1x64xi32>
      %6 = tt.broadcast %2 : tensor<64x1xi1> -> tensor<64x64xi1>
      %7 = tt.broadcast %5 : tensor<1x64xi1> -> tensor<64x64xi1>
      %8 = arith.andi %6, %7 : tensor<64x64xi1>
      %9 = tt.splat %sc : i32 -> tensor<64x1xi32>
      %10 = arith.muli %0, %9 : tensor<64x1xi32>
      %11 = tt.splat %C : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %12 = tt.addptr %11, %10 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %13 = tt.broadcast %12 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %14 = tt.broadcast %3 : tensor<1x64xi32> -> tensor<64x64xi32>
      %15 = tt.addptr %13, %14 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %16 = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
      tt.store %15, %16, %8 : tensor<64x64x!tt.ptr<f16>>
    }
    tt.return
  }
}
