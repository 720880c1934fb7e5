// A product of experts with tiles of 16 rows, which grow to 64: of the rows that a tile of numbers names, none beyond
// the sixteenth is stored.
// RUN: heddle run %s --device=sim --grid=5,1,1 --scalars=N=48,K=80,nv=40 --input 'sid=arange(0,1)' --input 'eid=zeros' --input 'npad=const(48)' \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=5,1,1 --scalars=N=48,K=80,nv=40 --input 'sid=arange(0,1)' --input 'eid=zeros' --input 'npad=const(48)' \
// RUN:   | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_moe(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sid: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %eid:
              !tt.ptr<i32> {tt.divisibility = 16 : i32}, %tw: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %npad:
                    !tt.ptr<i32> {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}, %K: i32
                          {tt.divisibility = 16 : i32}, %nv: i32) {
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
    %nn = arith.constant 63 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<16x32xf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %cst_3 = arith.constant dense<32> : tensor<32x64xi32>
    %cst_4 = arith.constant dense<32> : tensor<16x32xi32>
    %c32_i32 = arith.constant 32 : i32
    %cst_5 = arith.constant dense<2> : tensor<16x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %c16_i32 = arith.constant 16 : i32
    %pid = tt.get_program_id x : i32
    %nn_6 = arith.addi %N, %nn : i32
    %nn_7 = arith.divsi %nn_6, %c64_i32 : i32
    %pm = arith.divsi %pid, %nn_7 : i32
    %pn = arith.remsi %pid, %nn_7 : i32
    %0 = arith.muli %pm, %c16_i32 : i32
    %1 = tt.load %npad : !tt.ptr<i32>
    %2 = arith.cmpi sge, %0, %1 : i32
    cf.cond_br %2, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    tt.return
  ^bb2:  // pred: ^bb0
    %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %m_8 = tt.splat %0 : i32 -> tensor<16xi32>
    %m_9 = arith.addi %m_8, %m : tensor<16xi32>
    %tok = tt.splat %sid : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %tok_10 = tt.addptr %tok, %m_9 : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    %tok_11 = tt.load %tok_10 : tensor<16x!tt.ptr<i32>>
    %tm = tt.splat %nv : i32 -> tensor<16xi32>
    %tm_12 = arith.cmpi slt, %tok_11, %tm : tensor<16xi32>
    %n = arith.muli %pn, %c64_i32 : i32
    %n_13 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %n_14 = tt.splat %n : i32 -> tensor<64xi32>
    %n_15 = arith.addi %n_14, %n_13 : tensor<64xi32>
    %n_16 = tt.splat %N : i32 -> tensor<64xi32>
    %n_17 = arith.remsi %n_15, %n_16 : tensor<64xi32>
    %kk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %e = tt.addptr %eid, %pm : !tt.ptr<i32>, i32
    %e_18 = tt.load %e : !tt.ptr<i32>
    %ap = tt.expand_dims %tok_11 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %ap_19 = arith.divsi %ap, %cst_5 : tensor<16x1xi32>
    %ap_20 = tt.splat %K : i32 -> tensor<16x1xi32>
    %ap_21 = arith.muli %ap_19, %ap_20 : tensor<16x1xi32>
    %ap_22 = tt.expand_dims %kk {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %ap_23 = tt.broadcast %ap_21 : tensor<16x1xi32> -> tensor<16x32xi32>
    %ap_24 = tt.broadcast %ap_22 : tensor<1x32xi32> -> tensor<16x32xi32>
    %ap_25 = arith.addi %ap_23, %ap_24 : tensor<16x32xi32>
    %ap_26 = tt.splat %a : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
    %ap_27 = tt.addptr %ap_26, %ap_25 : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
    %bp = arith.muli %e_18, %N : i32
    %bp_28 = arith.muli %bp, %K : i32
    %bp_29 = tt.addptr %b, %bp_28 : !tt.ptr<f16>, i32
    %bp_30 = tt.expand_dims %kk {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %bp_31 = tt.expand_dims %n_17 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %bp_32 = tt.splat %K : i32 -> tensor<1x64xi32>
    %bp_33 = arith.muli %bp_31, %bp_32 : tensor<1x64xi32>
    %bp_34 = tt.broadcast %bp_30 : tensor<32x1xi32> -> tensor<32x64xi32>
    %bp_35 = tt.broadcast %bp_33 : tensor<1x64xi32> -> tensor<32x64xi32>
    %bp_36 = arith.addi %bp_34, %bp_35 : tensor<32x64xi32>
    %bp_37 = tt.splat %bp_29 : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %bp_38 = tt.addptr %bp_37, %bp_36 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %3 = arith.addi %K, %c31_i32 : i32
    %4 = arith.divsi %3, %c32_i32 : i32
    %acc:3 = scf.for %k = %c0_i32 to %4 step %c1_i32 iter_args(%ap_45 = %ap_27, %bp_46 = %bp_38, %acc_47 = %cst) ->
          (tensor<16x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<16x64xf32>)  : i32 {
      %x = tt.expand_dims %tm_12 {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
      %x_48 = arith.muli %k, %c32_i32 : i32
      %x_49 = arith.subi %K, %x_48 : i32
      %x_50 = tt.splat %x_49 : i32 -> tensor<1x32xi32>
      %x_51 = arith.cmpi slt, %ap_22, %x_50 : tensor<1x32xi32>
      %x_52 = tt.broadcast %x : tensor<16x1xi1> -> tensor<16x32xi1>
      %x_53 = tt.broadcast %x_51 : tensor<1x32xi1> -> tensor<16x32xi1>
      %x_54 = arith.andi %x_52, %x_53 : tensor<16x32xi1>
      %x_55 = tt.load %ap_45, %x_54, %cst_1 : tensor<16x32x!tt.ptr<f16>>
      %y = tt.splat %x_49 : i32 -> tensor<32x1xi32>
      %y_56 = arith.cmpi slt, %bp_30, %y : tensor<32x1xi32>
      %y_57 = tt.broadcast %y_56 : tensor<32x1xi1> -> tensor<32x64xi1>
      %y_58 = tt.load %bp_46, %y_57, %cst_0 : tensor<32x64x!tt.ptr<f16>>
      %acc_59 = tt.dot %x_55, %y_58, %acc_47, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x64xf16> ->
            tensor<16x64xf32>
      %ap_60 = tt.addptr %ap_45, %cst_4 : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
      %bp_61 = tt.addptr %bp_46, %cst_3 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      scf.yield %ap_60, %bp_61, %acc_59 : tensor<16x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<16x64xf32>
    }
    %acc_39 = tt.splat %tw : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %acc_40 = tt.addptr %acc_39, %tok_11 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %acc_41 = tt.load %acc_40, %tm_12, %cst_2 : tensor<16x!tt.ptr<f32>>
    %acc_42 = tt.expand_dims %acc_41 {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %acc_43 = tt.broadcast %acc_42 : tensor<16x1xf32> -> tensor<16x64xf32>
    %acc_44 = arith.mulf %acc#2, %acc_43 : tensor<16x64xf32>
    %5 = tt.expand_dims %tm_12 {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
    %6 = tt.expand_dims %n_15 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %7 = tt.splat %N : i32 -> tensor<1x64xi32>
    %8 = arith.cmpi slt, %6, %7 : tensor<1x64xi32>
    %9 = tt.broadcast %5 : tensor<16x1xi1> -> tensor<16x64xi1>
    %10 = tt.broadcast %8 : tensor<1x64xi1> -> tensor<16x64xi1>
    %11 = arith.andi %9, %10 : tensor<16x64xi1>
    %12 = tt.splat %N : i32 -> tensor<16x1xi32>
    %13 = arith.muli %12, %ap : tensor<16x1xi32>
    %14 = tt.splat %c : !tt.ptr<f16> -> tensor<16x1x!tt.ptr<f16>>
    %15 = tt.addptr %14, %13 : tensor<16x1x!tt.ptr<f16>>, tensor<16x1xi32>
    %16 = tt.broadcast %15 : tensor<16x1x!tt.ptr<f16>> -> tensor<16x64x!tt.ptr<f16>>
    %17 = tt.broadcast %6 : tensor<1x64xi32> -> tensor<16x64xi32>
    %18 = tt.addptr %16, %17 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
    %19 = arith.truncf %acc_44 : tensor<16x64xf32> to tensor<16x64xf16>
    tt.store %18, %19, %11 : tensor<16x64x!tt.ptr<f16>>
    tt.return
  }
}
