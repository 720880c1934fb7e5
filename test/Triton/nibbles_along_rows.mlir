// A product with weights of 4 bits, packed along the contiguous dimension: each is read by the column that it is in, n
// / 2, and shifted by n % 2.
// RUN: heddle run %s --device=sim --grid=2,1,1 --scalars=M=64,N=64,K=128,G=32 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,1,1 --scalars=M=64,N=64,K=128,G=32 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_w4(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32},
        %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32
              {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 :
                    i32}, %G: i32 {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<0> : tensor<32x64xi8>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x32xf16>
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
    %cst_2 = arith.constant dense<8> : tensor<32x64xi32>
    %cst_3 = arith.constant dense<15> : tensor<32x64xi32>
    %cst_4 = arith.constant dense<4> : tensor<64xi32>
    %cst_5 = arith.constant dense<2> : tensor<64xi32>
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %c32_i32 = arith.constant 32 : i32
    %pm = tt.get_program_id x : i32
    %pn = tt.get_program_id y : i32
    %m = arith.muli %pm, %c32_i32 : i32
    %m_6 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %m_7 = tt.splat %m : i32 -> tensor<32xi32>
    %m_8 = arith.addi %m_7, %m_6 : tensor<32xi32>
    %n = arith.muli %pn, %c64_i32 : i32
    %n_9 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %n_10 = tt.splat %n : i32 -> tensor<64xi32>
    %n_11 = arith.addi %n_10, %n_9 : tensor<64xi32>
    %acc = scf.for %k = %c0_i32 to %K step %c32_i32 iter_args(%acc_12 = %cst_1) -> (tensor<32x64xf32>)  : i32 {
      %av = tt.expand_dims %m_8 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %av_13 = tt.splat %M : i32 -> tensor<32x1xi32>
      %av_14 = arith.cmpi slt, %av, %av_13 : tensor<32x1xi32>
      %av_15 = tt.splat %k : i32 -> tensor<32xi32>
      %av_16 = arith.addi %av_15, %m_6 : tensor<32xi32>
      %av_17 = tt.expand_dims %av_16 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %av_18 = tt.splat %K : i32 -> tensor<1x32xi32>
      %av_19 = arith.cmpi slt, %av_17, %av_18 : tensor<1x32xi32>
      %av_20 = tt.broadcast %av_14 : tensor<32x1xi1> -> tensor<32x32xi1>
      %av_21 = tt.broadcast %av_19 : tensor<1x32xi1> -> tensor<32x32xi1>
      %av_22 = arith.andi %av_20, %av_21 : tensor<32x32xi1>
      %av_23 = tt.splat %K : i32 -> tensor<32x1xi32>
      %av_24 = arith.muli %av, %av_23 : tensor<32x1xi32>
      %av_25 = tt.splat %a : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %av_26 = tt.addptr %av_25, %av_24 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %av_27 = tt.broadcast %av_26 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x32x!tt.ptr<f16>>
      %av_28 = tt.broadcast %av_17 : tensor<1x32xi32> -> tensor<32x32xi32>
      %av_29 = tt.addptr %av_27, %av_28 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      %av_30 = tt.load %av_29, %av_22, %cst_0 : tensor<32x32x!tt.ptr<f16>>
      %bv = tt.expand_dims %av_16 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %bv_31 = arith.cmpi slt, %bv, %av_23 : tensor<32x1xi32>
      %bv_32 = tt.expand_dims %n_11 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %bv_33 = tt.splat %N : i32 -> tensor<1x64xi32>
      %bv_34 = arith.cmpi slt, %bv_32, %bv_33 : tensor<1x64xi32>
      %bv_35 = tt.broadcast %bv_31 : tensor<32x1xi1> -> tensor<32x64xi1>
      %bv_36 = tt.broadcast %bv_34 : tensor<1x64xi1> -> tensor<32x64xi1>
      %bv_37 = arith.andi %bv_35, %bv_36 : tensor<32x64xi1>
      %bv_38 = arith.divsi %N, %c2_i32 : i32
      %bv_39 = tt.splat %bv_38 : i32 -> tensor<32x1xi32>
      %bv_40 = arith.muli %bv, %bv_39 : tensor<32x1xi32>
      %bv_41 = tt.splat %b : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
      %bv_42 = tt.addptr %bv_41, %bv_40 : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
      %bv_43 = arith.divsi %n_11, %cst_5 : tensor<64xi32>
      %bv_44 = tt.expand_dims %bv_43 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %bv_45 = tt.broadcast %bv_42 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
      %bv_46 = tt.broadcast %bv_44 : tensor<1x64xi32> -> tensor<32x64xi32>
      %bv_47 = tt.addptr %bv_45, %bv_46 : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
      %bv_48 = tt.load %bv_47, %bv_37, %cst : tensor<32x64x!tt.ptr<i8>>
      %q = arith.extui %bv_48 : tensor<32x64xi8> to tensor<32x64xi32>
      %q_49 = arith.remsi %n_11, %cst_5 : tensor<64xi32>
      %q_50 = arith.muli %q_49, %cst_4 : tensor<64xi32>
      %q_51 = tt.expand_dims %q_50 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %q_52 = tt.broadcast %q_51 : tensor<1x64xi32> -> tensor<32x64xi32>
      %q_53 = arith.shrsi %q, %q_52 : tensor<32x64xi32>
      %q_54 = arith.andi %q_53, %cst_3 : tensor<32x64xi32>
      %q_55 = arith.subi %q_54, %cst_2 : tensor<32x64xi32>
      %sc = tt.splat %G : i32 -> tensor<32xi32>
      %sc_56 = arith.divsi %av_16, %sc : tensor<32xi32>
      %sc_57 = tt.expand_dims %sc_56 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %sc_58 = tt.splat %N : i32 -> tensor<32x1xi32>
      %sc_59 = arith.muli %sc_57, %sc_58 : tensor<32x1xi32>
      %sc_60 = tt.splat %s : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
      %sc_61 = tt.addptr %sc_60, %sc_59 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
      %sc_62 = tt.broadcast %sc_61 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
      %sc_63 = tt.broadcast %bv_32 : tensor<1x64xi32> -> tensor<32x64xi32>
      %sc_64 = tt.addptr %sc_62, %sc_63 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
      %sc_65 = tt.load %sc_64, %bv_37, %cst_1 : tensor<32x64x!tt.ptr<f32>>
      %w = arith.sitofp %q_55 : tensor<32x64xi32> to tensor<32x64xf32>
      %w_66 = arith.mulf %w, %sc_65 : tensor<32x64xf32>
      %w_67 = arith.truncf %w_66 : tensor<32x64xf32> to tensor<32x64xf16>
      %acc_68 = tt.dot %av_30, %w_67, %acc_12, inputPrecision = tf32 : tensor<32x32xf16> * tensor<32x64xf16> ->
            tensor<32x64xf32>
      scf.yield %acc_68 : tensor<32x64xf32>
    }
    %0 = tt.expand_dims %m_8 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %1 = tt.splat %M : i32 -> tensor<32x1xi32>
    %2 = arith.cmpi slt, %0, %1 : tensor<32x1xi32>
    %3 = tt.expand_dims %n_11 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %4 = tt.splat %N : i32 -> tensor<1x64xi32>
    %5 = arith.cmpi slt, %3, %4 : tensor<1x64xi32>
    %6 = tt.broadcast %2 : tensor<32x1xi1> -> tensor<32x64xi1>
    %7 = tt.broadcast %5 : tensor<1x64xi1> -> tensor<32x64xi1>
    %8 = arith.andi %6, %7 : tensor<32x64xi1>
    %9 = tt.splat %N : i32 -> tensor<32x1xi32>
    %10 = arith.muli %0, %9 : tensor<32x1xi32>
    %11 = tt.splat %o : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %12 = tt.addptr %11, %10 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %13 = tt.broadcast %12 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
    %14 = tt.broadcast %3 : tensor<1x64xi32> -> tensor<32x64xi32>
    %15 = tt.addptr %13, %14 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    tt.store %15, %acc, %8 : tensor<32x64x!tt.ptr<f32>>
    tt.return
  }
}
