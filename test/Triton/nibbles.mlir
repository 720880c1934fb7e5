// Weights of four bits, two in a byte along the contraction: tt.join puts them side by side.
// RUN: heddle run %s --device=sim --grid=2,1 --scalars=M=100,N=128,K=256,sam=256,sbk=128,scm=128 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @w4_pairs(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.divisibility = 16
      : i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32,
      %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}, %sam: i32 {tt.divisibility = 16
      : i32}, %sbk: i32 {tt.divisibility = 16 : i32}, %scm: i32 {tt.divisibility = 16
      : i32}) attributes {noinline = false} {
    %c63_i32 = arith.constant 63 : i32
    %acc = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<4> : tensor<128x32xi8>
    %cst_1 = arith.constant dense<8> : tensor<128x32xi8>
    %cst_2 = arith.constant dense<15> : tensor<128x32xi8>
    %c32_i32 = arith.constant 32 : i32
    %sc = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %c128_i32 = arith.constant 128 : i32
    %c64_i32 = arith.constant 64 : i32
    %pm = tt.get_program_id x : i32
    %pn = tt.get_program_id y : i32
    %rm = arith.muli %pm, %c64_i32 : i32
    %rm_3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rm_4 = tt.splat %rm : i32 -> tensor<64xi32>
    %rm_5 = arith.addi %rm_4, %rm_3 : tensor<64xi32>
    %rn = arith.muli %pn, %c128_i32 : i32
    %rn_6 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rn_7 = tt.splat %rn : i32 -> tensor<128xi32>
    %rn_8 = arith.addi %rn_7, %rn_6 : tensor<128xi32>
    %rh = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %sc_9 = tt.splat %N : i32 -> tensor<128xi32>
    %sc_10 = arith.cmpi slt, %rn_8, %sc_9 : tensor<128xi32>
    %sc_11 = tt.splat %s : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %sc_12 = tt.addptr %sc_11, %rn_8 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %sc_13 = tt.load %sc_12, %sc_10, %sc : tensor<128x!tt.ptr<f32>>
    %0 = arith.addi %K, %c63_i32 : i32
    %1 = arith.divsi %0, %c64_i32 : i32
    %acc_14 = scf.for %k = %c0_i32 to %1 step %c1_i32 iter_args(%acc_18 = %acc) -> (tensor<64x128xf32>)  : i32 {
      %x = tt.expand_dims %rm_5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %x_19 = tt.splat %M : i32 -> tensor<64x1xi32>
      %x_20 = arith.cmpi slt, %x, %x_19 : tensor<64x1xi32>
      %x_21 = tt.splat %sam : i32 -> tensor<64x1xi32>
      %x_22 = arith.muli %x, %x_21 : tensor<64x1xi32>
      %x_23 = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %x_24 = tt.addptr %x_23, %x_22 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %x_25 = arith.muli %k, %c64_i32 : i32
      %x_26 = tt.splat %x_25 : i32 -> tensor<64xi32>
      %x_27 = arith.addi %x_26, %rm_3 : tensor<64xi32>
      %x_28 = tt.expand_dims %x_27 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %x_29 = tt.broadcast %x_24 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %x_30 = tt.broadcast %x_28 : tensor<1x64xi32> -> tensor<64x64xi32>
      %x_31 = tt.addptr %x_29, %x_30 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %x_32 = tt.broadcast %x_20 : tensor<64x1xi1> -> tensor<64x64xi1>
      %x_33 = tt.load %x_31, %x_32, %cst : tensor<64x64x!tt.ptr<f16>>
      %q = arith.muli %k, %c32_i32 : i32
      %q_34 = tt.splat %q : i32 -> tensor<32xi32>
      %q_35 = arith.addi %q_34, %rh : tensor<32xi32>
      %q_36 = tt.expand_dims %q_35 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %q_37 = tt.splat %b : !tt.ptr<i8> -> tensor<1x32x!tt.ptr<i8>>
      %q_38 = tt.addptr %q_37, %q_36 : tensor<1x32x!tt.ptr<i8>>, tensor<1x32xi32>
      %q_39 = tt.expand_dims %rn_8 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
      %q_40 = tt.splat %sbk : i32 -> tensor<128x1xi32>
      %q_41 = arith.muli %q_39, %q_40 : tensor<128x1xi32>
      %q_42 = tt.broadcast %q_38 : tensor<1x32x!tt.ptr<i8>> -> tensor<128x32x!tt.ptr<i8>>
      %q_43 = tt.broadcast %q_41 : tensor<128x1xi32> -> tensor<128x32xi32>
      %q_44 = tt.addptr %q_42, %q_43 : tensor<128x32x!tt.ptr<i8>>, tensor<128x32xi32>
      %q_45 = tt.load %q_44 : tensor<128x32x!tt.ptr<i8>>
      %lo = arith.andi %q_45, %cst_2 : tensor<128x32xi8>
      %lo_46 = arith.subi %lo, %cst_1 : tensor<128x32xi8>
      %lo_47 = arith.sitofp %lo_46 : tensor<128x32xi8> to tensor<128x32xf16>
      %hi = arith.shrui %q_45, %cst_0 : tensor<128x32xi8>
      %hi_48 = arith.subi %hi, %cst_1 : tensor<128x32xi8>
      %hi_49 = arith.sitofp %hi_48 : tensor<128x32xi8> to tensor<128x32xf16>
      %c_50 = tt.join %lo_47, %hi_49 : tensor<128x32xf16> -> tensor<128x32x2xf16>
      %w = tt.reshape %c_50 : tensor<128x32x2xf16> -> tensor<128x64xf16>
      %acc_51 = tt.trans %w {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
      %acc_52 = tt.dot %x_33, %acc_51, %acc_18, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x128xf16>
          -> tensor<64x128xf32>
      scf.yield %acc_52 : tensor<64x128xf32>
    }
    %acc_15 = tt.expand_dims %sc_13 {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
    %acc_16 = tt.broadcast %acc_15 : tensor<1x128xf32> -> tensor<64x128xf32>
    %acc_17 = arith.mulf %acc_14, %acc_16 : tensor<64x128xf32>
    %2 = tt.expand_dims %rm_5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %3 = tt.splat %M : i32 -> tensor<64x1xi32>
    %4 = arith.cmpi slt, %2, %3 : tensor<64x1xi32>
    %5 = tt.expand_dims %rn_8 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %6 = tt.splat %N : i32 -> tensor<1x128xi32>
    %7 = arith.cmpi slt, %5, %6 : tensor<1x128xi32>
    %8 = tt.broadcast %4 : tensor<64x1xi1> -> tensor<64x128xi1>
    %9 = tt.broadcast %7 : tensor<1x128xi1> -> tensor<64x128xi1>
    %10 = arith.andi %8, %9 : tensor<64x128xi1>
    %11 = tt.splat %scm : i32 -> tensor<64x1xi32>
    %12 = arith.muli %2, %11 : tensor<64x1xi32>
    %13 = tt.splat %c : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %14 = tt.addptr %13, %12 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %15 = tt.broadcast %14 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
    %16 = tt.broadcast %5 : tensor<1x128xi32> -> tensor<64x128xi32>
    %17 = tt.addptr %15, %16 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %18 = arith.truncf %acc_17 : tensor<64x128xf32> to tensor<64x128xf16>
    tt.store %17, %18, %10 : tensor<64x128x!tt.ptr<f16>>
    tt.return
  }
}
