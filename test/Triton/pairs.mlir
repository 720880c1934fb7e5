// Columns of a product in pairs: a gate beside what it gates.
// RUN: heddle run %s --device=sim --grid=2,1 --scalars=M=200,N=120,K=100,sx=112,sw=128,so=64 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @gate_up_split(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
      %w: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %M: i32,
      %N: i32, %K: i32, %sx: i32 {tt.divisibility = 16 : i32}, %sw: i32 {tt.divisibility = 16 : i32},
      %so: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %y = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
    %acc = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xbf16>
    %c0_i32 = arith.constant 0 : i32
    %c2_i32 = arith.constant 2 : i32
    %cst_1 = arith.constant dense<1.000000e+00> : tensor<128x64xf32>
    %y_2 = arith.constant dense<1.702000e+00> : tensor<128x64xf32>
    %c64_i32 = arith.constant 64 : i32
    %c128_i32 = arith.constant 128 : i32
    %pm = tt.get_program_id x : i32
    %pn = tt.get_program_id y : i32
    %rm = arith.muli %pm, %c128_i32 : i32
    %rm_3 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rm_4 = tt.splat %rm : i32 -> tensor<128xi32>
    %rm_5 = arith.addi %rm_4, %rm_3 : tensor<128xi32>
    %rn = arith.muli %pn, %c128_i32 : i32
    %rn_6 = tt.splat %rn : i32 -> tensor<128xi32>
    %rn_7 = arith.addi %rn_6, %rm_3 : tensor<128xi32>
    %rk = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %acc_8 = scf.for %k = %c0_i32 to %K step %c64_i32 iter_args(%acc_19 = %acc) -> (tensor<128x128xf32>)  : i32 {
      %a = tt.expand_dims %rm_5 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
      %a_20 = tt.splat %M : i32 -> tensor<128x1xi32>
      %a_21 = arith.cmpi slt, %a, %a_20 : tensor<128x1xi32>
      %a_22 = tt.splat %k : i32 -> tensor<64xi32>
      %a_23 = arith.addi %a_22, %rk : tensor<64xi32>
      %a_24 = tt.expand_dims %a_23 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %a_25 = tt.splat %K : i32 -> tensor<1x64xi32>
      %a_26 = arith.cmpi slt, %a_24, %a_25 : tensor<1x64xi32>
      %a_27 = tt.broadcast %a_21 : tensor<128x1xi1> -> tensor<128x64xi1>
      %a_28 = tt.broadcast %a_26 : tensor<1x64xi1> -> tensor<128x64xi1>
      %a_29 = arith.andi %a_27, %a_28 : tensor<128x64xi1>
      %a_30 = tt.splat %sx : i32 -> tensor<128x1xi32>
      %a_31 = arith.muli %a, %a_30 : tensor<128x1xi32>
      %a_32 = tt.splat %x : !tt.ptr<bf16> -> tensor<128x1x!tt.ptr<bf16>>
      %a_33 = tt.addptr %a_32, %a_31 : tensor<128x1x!tt.ptr<bf16>>, tensor<128x1xi32>
      %a_34 = tt.broadcast %a_33 : tensor<128x1x!tt.ptr<bf16>> -> tensor<128x64x!tt.ptr<bf16>>
      %a_35 = tt.broadcast %a_24 : tensor<1x64xi32> -> tensor<128x64xi32>
      %a_36 = tt.addptr %a_34, %a_35 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
      %a_37 = tt.load %a_36, %a_29, %cst_0 : tensor<128x64x!tt.ptr<bf16>>
      %b = tt.expand_dims %a_23 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %b_38 = tt.splat %K : i32 -> tensor<64x1xi32>
      %b_39 = arith.cmpi slt, %b, %b_38 : tensor<64x1xi32>
      %b_40 = tt.expand_dims %rn_7 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
      %b_41 = tt.splat %N : i32 -> tensor<1x128xi32>
      %b_42 = arith.cmpi slt, %b_40, %b_41 : tensor<1x128xi32>
      %b_43 = tt.broadcast %b_39 : tensor<64x1xi1> -> tensor<64x128xi1>
      %b_44 = tt.broadcast %b_42 : tensor<1x128xi1> -> tensor<64x128xi1>
      %b_45 = arith.andi %b_43, %b_44 : tensor<64x128xi1>
      %b_46 = tt.splat %sw : i32 -> tensor<64x1xi32>
      %b_47 = arith.muli %b, %b_46 : tensor<64x1xi32>
      %b_48 = tt.splat %w : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %b_49 = tt.addptr %b_48, %b_47 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %b_50 = tt.broadcast %b_49 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x128x!tt.ptr<bf16>>
      %b_51 = tt.broadcast %b_40 : tensor<1x128xi32> -> tensor<64x128xi32>
      %b_52 = tt.addptr %b_50, %b_51 : tensor<64x128x!tt.ptr<bf16>>, tensor<64x128xi32>
      %b_53 = tt.load %b_52, %b_45, %cst : tensor<64x128x!tt.ptr<bf16>>
      %acc_54 = tt.dot %a_37, %b_53, %acc_19, inputPrecision = tf32 : tensor<128x64xbf16> * tensor<64x128xbf16>
          -> tensor<128x128xf32>
      scf.yield %acc_54 : tensor<128x128xf32>
    }
    %0 = tt.reshape %acc_8 : tensor<128x128xf32> -> tensor<128x64x2xf32>
    %outLHS, %outRHS = tt.split %0 : tensor<128x64x2xf32> -> tensor<128x64xf32>
    %y_9 = arith.mulf %outLHS, %y_2 : tensor<128x64xf32>
    %y_10 = arith.subf %y, %y_9 : tensor<128x64xf32>
    %y_11 = math.exp %y_10 : tensor<128x64xf32>
    %y_12 = arith.addf %y_11, %cst_1 : tensor<128x64xf32>
    %y_13 = arith.divf %cst_1, %y_12 : tensor<128x64xf32>
    %y_14 = arith.mulf %outLHS, %y_13 : tensor<128x64xf32>
    %y_15 = arith.addf %outRHS, %cst_1 : tensor<128x64xf32>
    %y_16 = arith.mulf %y_14, %y_15 : tensor<128x64xf32>
    %ro = arith.muli %pn, %c64_i32 : i32
    %ro_17 = tt.splat %ro : i32 -> tensor<64xi32>
    %ro_18 = arith.addi %ro_17, %rk : tensor<64xi32>
    %1 = tt.expand_dims %rm_5 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %2 = tt.splat %M : i32 -> tensor<128x1xi32>
    %3 = arith.cmpi slt, %1, %2 : tensor<128x1xi32>
    %4 = tt.expand_dims %ro_18 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %5 = arith.divsi %N, %c2_i32 : i32
    %6 = tt.splat %5 : i32 -> tensor<1x64xi32>
    %7 = arith.cmpi slt, %4, %6 : tensor<1x64xi32>
    %8 = tt.broadcast %3 : tensor<128x1xi1> -> tensor<128x64xi1>
    %9 = tt.broadcast %7 : tensor<1x64xi1> -> tensor<128x64xi1>
    %10 = arith.andi %8, %9 : tensor<128x64xi1>
    %11 = tt.splat %so : i32 -> tensor<128x1xi32>
    %12 = arith.muli %1, %11 : tensor<128x1xi32>
    %13 = tt.splat %o : !tt.ptr<bf16> -> tensor<128x1x!tt.ptr<bf16>>
    %14 = tt.addptr %13, %12 : tensor<128x1x!tt.ptr<bf16>>, tensor<128x1xi32>
    %15 = tt.broadcast %14 : tensor<128x1x!tt.ptr<bf16>> -> tensor<128x64x!tt.ptr<bf16>>
    %16 = tt.broadcast %4 : tensor<1x64xi32> -> tensor<128x64xi32>
    %17 = tt.addptr %15, %16 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
    %18 = arith.truncf %y_16 : tensor<128x64xf32> to tensor<128x64xbf16>
    tt.store %17, %18, %10 : tensor<128x64x!tt.ptr<bf16>>
    tt.return
  }
}
