// Blocks of the contraction that a list in memory names, none of which is negative.
// RUN: heddle run %s --device=sim --grid=1,2 --scalars=N=128,sx=256,sw=128,so=128 \
// RUN:   --input 'idx=integers(0,3)' --input 'cnt=arange(2,1)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @sparse_block(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %w: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %idx: !tt.ptr<i32> {tt.divisibility = 16 : i32},
      %cnt: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %N: i32,
      %sx: i32 {tt.divisibility = 16 : i32}, %sw: i32 {tt.divisibility = 16 : i32}, %so: i32 {tt.divisibility = 16
      : i32}) attributes {noinline = false} {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
    %c4_i32 = arith.constant 4 : i32
    %c64_i32 = arith.constant 64 : i32
    %c128_i32 = arith.constant 128 : i32
    %pm = tt.get_program_id x : i32
    %pn = tt.get_program_id y : i32
    %rm = arith.muli %pm, %c128_i32 : i32
    %rm_0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rm_1 = tt.splat %rm : i32 -> tensor<128xi32>
    %rm_2 = arith.addi %rm_1, %rm_0 : tensor<128xi32>
    %rn = arith.muli %pn, %c64_i32 : i32
    %rn_3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rn_4 = tt.splat %rn : i32 -> tensor<64xi32>
    %rn_5 = arith.addi %rn_4, %rn_3 : tensor<64xi32>
    %0 = tt.addptr %cnt, %pn : !tt.ptr<i32>, i32
    %1 = tt.load %0 : !tt.ptr<i32>
    %acc = scf.for %t = %c0_i32 to %1 step %c1_i32 iter_args(%acc_6 = %cst) -> (tensor<128x64xf32>)  : i32 {
      %kb = arith.muli %pn, %c4_i32 : i32
      %kb_7 = tt.addptr %idx, %kb : !tt.ptr<i32>, i32
      %kb_8 = tt.addptr %kb_7, %t : !tt.ptr<i32>, i32
      %kb_9 = tt.load %kb_8 : !tt.ptr<i32>
      %a = tt.expand_dims %rm_2 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
      %a_10 = tt.splat %sx : i32 -> tensor<128x1xi32>
      %a_11 = arith.muli %a, %a_10 : tensor<128x1xi32>
      %a_12 = tt.splat %x : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
      %a_13 = tt.addptr %a_12, %a_11 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
      %a_14 = arith.muli %kb_9, %c64_i32 : i32
      %a_15 = tt.splat %a_14 : i32 -> tensor<64xi32>
      %a_16 = arith.addi %a_15, %rn_3 : tensor<64xi32>
      %a_17 = tt.expand_dims %a_16 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %a_18 = tt.broadcast %a_13 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
      %a_19 = tt.broadcast %a_17 : tensor<1x64xi32> -> tensor<128x64xi32>
      %a_20 = tt.addptr %a_18, %a_19 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
      %a_21 = tt.load %a_20 : tensor<128x64x!tt.ptr<f16>>
      %b = tt.expand_dims %a_16 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %b_22 = tt.splat %sw : i32 -> tensor<64x1xi32>
      %b_23 = arith.muli %b, %b_22 : tensor<64x1xi32>
      %b_24 = tt.splat %w : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %b_25 = tt.addptr %b_24, %b_23 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %b_26 = tt.expand_dims %rn_5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %b_27 = tt.broadcast %b_25 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %b_28 = tt.broadcast %b_26 : tensor<1x64xi32> -> tensor<64x64xi32>
      %b_29 = tt.addptr %b_27, %b_28 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %b_30 = tt.load %b_29 : tensor<64x64x!tt.ptr<f16>>
      %acc_31 = tt.dot %a_21, %b_30, %acc_6, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16>
          -> tensor<128x64xf32>
      scf.yield %acc_31 : tensor<128x64xf32>
    }
    %2 = tt.expand_dims %rm_2 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %3 = tt.splat %so : i32 -> tensor<128x1xi32>
    %4 = arith.muli %2, %3 : tensor<128x1xi32>
    %5 = tt.splat %o : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %6 = tt.addptr %5, %4 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %7 = tt.expand_dims %rn_5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %8 = tt.broadcast %6 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %9 = tt.broadcast %7 : tensor<1x64xi32> -> tensor<128x64xi32>
    %10 = tt.addptr %8, %9 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %11 = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
    tt.store %10, %11 : tensor<128x64x!tt.ptr<f16>>
    tt.return
  }
}
