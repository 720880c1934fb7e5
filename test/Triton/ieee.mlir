// A product of floats of 32 bits without a loss: seven products of parts in bf16.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=M=64,N=64,K=96 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=M=64,N=64,K=96 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// A bound that is the interval, but was refuted for some numbers of stages alone, makes no schedule optimal.
// RUN: heddle compile %s --groups=1 -o %t | FileCheck %s --check-prefix=STAGES
// STAGES: lower bound [[II:[0-9]+]], feasible; 2 stages
// STAGES: every interval below [[II]] cycles with at most 2 stages is refuted, of more stages nothing is known
module {
  tt.func public @k_ieee(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32}, %N: i32
              {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}) {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %c64_i32 = arith.constant 64 : i32
    %m = tt.get_program_id x : i32
    %m_1 = arith.muli %m, %c64_i32 : i32
    %m_2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m_3 = tt.splat %m_1 : i32 -> tensor<64xi32>
    %m_4 = arith.addi %m_3, %m_2 : tensor<64xi32>
    %n = tt.get_program_id y : i32
    %n_5 = arith.muli %n, %c64_i32 : i32
    %n_6 = tt.splat %n_5 : i32 -> tensor<64xi32>
    %n_7 = arith.addi %n_6, %m_2 : tensor<64xi32>
    %kk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %acc_8 = scf.for %k = %c0_i32 to %K step %c32_i32 iter_args(%acc_9 = %acc) -> (tensor<64x64xf32>)  : i32 {
      %av = tt.expand_dims %m_4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %av_10 = tt.splat %M : i32 -> tensor<64x1xi32>
      %av_11 = arith.cmpi slt, %av, %av_10 : tensor<64x1xi32>
      %av_12 = tt.splat %k : i32 -> tensor<32xi32>
      %av_13 = arith.addi %av_12, %kk : tensor<32xi32>
      %av_14 = tt.expand_dims %av_13 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %av_15 = tt.splat %K : i32 -> tensor<1x32xi32>
      %av_16 = arith.cmpi slt, %av_14, %av_15 : tensor<1x32xi32>
      %av_17 = tt.broadcast %av_11 : tensor<64x1xi1> -> tensor<64x32xi1>
      %av_18 = tt.broadcast %av_16 : tensor<1x32xi1> -> tensor<64x32xi1>
      %av_19 = arith.andi %av_17, %av_18 : tensor<64x32xi1>
      %av_20 = tt.splat %K : i32 -> tensor<64x1xi32>
      %av_21 = arith.muli %av, %av_20 : tensor<64x1xi32>
      %av_22 = tt.splat %a : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
      %av_23 = tt.addptr %av_22, %av_21 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
      %av_24 = tt.broadcast %av_23 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
      %av_25 = tt.broadcast %av_14 : tensor<1x32xi32> -> tensor<64x32xi32>
      %av_26 = tt.addptr %av_24, %av_25 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
      %av_27 = tt.load %av_26, %av_19, %cst_0 : tensor<64x32x!tt.ptr<f32>>
      %bv = tt.expand_dims %av_13 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %bv_28 = tt.splat %K : i32 -> tensor<32x1xi32>
      %bv_29 = arith.cmpi slt, %bv, %bv_28 : tensor<32x1xi32>
      %bv_30 = tt.expand_dims %n_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %bv_31 = tt.splat %N : i32 -> tensor<1x64xi32>
      %bv_32 = arith.cmpi slt, %bv_30, %bv_31 : tensor<1x64xi32>
      %bv_33 = tt.broadcast %bv_29 : tensor<32x1xi1> -> tensor<32x64xi1>
      %bv_34 = tt.broadcast %bv_32 : tensor<1x64xi1> -> tensor<32x64xi1>
      %bv_35 = arith.andi %bv_33, %bv_34 : tensor<32x64xi1>
      %bv_36 = tt.splat %N : i32 -> tensor<32x1xi32>
      %bv_37 = arith.muli %bv, %bv_36 : tensor<32x1xi32>
      %bv_38 = tt.splat %b : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
      %bv_39 = tt.addptr %bv_38, %bv_37 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
      %bv_40 = tt.broadcast %bv_39 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
      %bv_41 = tt.broadcast %bv_30 : tensor<1x64xi32> -> tensor<32x64xi32>
      %bv_42 = tt.addptr %bv_40, %bv_41 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
      %bv_43 = tt.load %bv_42, %bv_35, %cst : tensor<32x64x!tt.ptr<f32>>
      %acc_44 = tt.dot %av_27, %bv_43, %acc_9 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
      scf.yield %acc_44 : tensor<64x64xf32>
    }
    %0 = tt.expand_dims %m_4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %1 = tt.splat %M : i32 -> tensor<64x1xi32>
    %2 = arith.cmpi slt, %0, %1 : tensor<64x1xi32>
    %3 = tt.expand_dims %n_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %4 = tt.splat %N : i32 -> tensor<1x64xi32>
    %5 = arith.cmpi slt, %3, %4 : tensor<1x64xi32>
    %6 = tt.broadcast %2 : tensor<64x1xi1> -> tensor<64x64xi1>
    %7 = tt.broadcast %5 : tensor<1x64xi1> -> tensor<64x64xi1>
    %8 = arith.andi %6, %7 : tensor<64x64xi1>
    %9 = tt.splat %N : i32 -> tensor<64x1xi32>
    %10 = arith.muli %0, %9 : tensor<64x1xi32>
    %11 = tt.splat %o : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %12 = tt.addptr %11, %10 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %13 = tt.broadcast %12 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %14 = tt.broadcast %3 : tensor<1x64xi32> -> tensor<64x64xi32>
    %15 = tt.addptr %13, %14 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %15, %acc_8, %8 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
