// Chunks of a state space: sums of a row give scalars, which decay a state beside products.
// RUN: heddle run %s --device=sim --grid=2 --scalars=T=100,sx=128,sb=64 --input 'dA=uniform(-0.1,0.0)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @mamba2(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %dA: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %b: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
      %o: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %T: i32, %sx: i32 {tt.divisibility = 16 : i32},
      %sb: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c64_i32 = arith.constant 64 : i32
    %h = tt.get_program_id x : i32
    %rc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %S = scf.for %t = %c0_i32 to %T step %c64_i32 iter_args(%S_2 = %cst_0) -> (tensor<64x64xf32>)  : i32 {
      %r = tt.splat %t : i32 -> tensor<64xi32>
      %r_3 = arith.addi %r, %rc : tensor<64xi32>
      %da = tt.splat %T : i32 -> tensor<64xi32>
      %da_4 = arith.cmpi slt, %r_3, %da : tensor<64xi32>
      %da_5 = arith.muli %h, %T : i32
      %da_6 = tt.addptr %dA, %da_5 : !tt.ptr<f32>, i32
      %da_7 = tt.splat %da_6 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %da_8 = tt.addptr %da_7, %r_3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %da_9 = tt.load %da_8, %da_4, %cst_1 : tensor<64x!tt.ptr<f32>>
      %cs = "tt.scan"(%da_9) <{axis = 0 : i32, reverse = false}> ({
      ^bb0(%cs_64: f32, %cs_65: f32):
        %cs_66 = arith.addf %cs_64, %cs_65 : f32
        tt.scan.return %cs_66 : f32
      }) : (tensor<64xf32>) -> tensor<64xf32>
      %bb = tt.expand_dims %r_3 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %bb_10 = tt.splat %T : i32 -> tensor<64x1xi32>
      %bb_11 = arith.cmpi slt, %bb, %bb_10 : tensor<64x1xi32>
      %bb_12 = tt.splat %sb : i32 -> tensor<64x1xi32>
      %bb_13 = arith.muli %bb, %bb_12 : tensor<64x1xi32>
      %bb_14 = tt.splat %b : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %bb_15 = tt.addptr %bb_14, %bb_13 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %bb_16 = tt.expand_dims %rc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %bb_17 = tt.broadcast %bb_15 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %bb_18 = tt.broadcast %bb_16 : tensor<1x64xi32> -> tensor<64x64xi32>
      %bb_19 = tt.addptr %bb_17, %bb_18 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %bb_20 = tt.broadcast %bb_11 : tensor<64x1xi1> -> tensor<64x64xi1>
      %bb_21 = tt.load %bb_19, %bb_20, %cst : tensor<64x64x!tt.ptr<bf16>>
      %cc = tt.splat %c : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %cc_22 = tt.addptr %cc, %bb_13 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %cc_23 = tt.broadcast %cc_22 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %cc_24 = tt.addptr %cc_23, %bb_18 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %cc_25 = tt.load %cc_24, %bb_20, %cst : tensor<64x64x!tt.ptr<bf16>>
      %xx = tt.splat %sx : i32 -> tensor<64x1xi32>
      %xx_26 = arith.muli %bb, %xx : tensor<64x1xi32>
      %xx_27 = tt.splat %x : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %xx_28 = tt.addptr %xx_27, %xx_26 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %xx_29 = arith.muli %h, %c64_i32 : i32
      %xx_30 = tt.splat %xx_29 : i32 -> tensor<64x1xi32>
      %xx_31 = tt.addptr %xx_28, %xx_30 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %xx_32 = tt.broadcast %xx_31 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %xx_33 = tt.addptr %xx_32, %bb_18 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %xx_34 = tt.load %xx_33, %bb_20, %cst : tensor<64x64x!tt.ptr<bf16>>
      %g = tt.trans %bb_21 {order = array<i32: 1, 0>} : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %g_35 = tt.dot %cc_25, %g, %cst_0, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16>
          -> tensor<64x64xf32>
      %L = tt.expand_dims %cs {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %L_36 = tt.expand_dims %cs {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
      %L_37 = tt.broadcast %L : tensor<64x1xf32> -> tensor<64x64xf32>
      %L_38 = tt.broadcast %L_36 : tensor<1x64xf32> -> tensor<64x64xf32>
      %L_39 = arith.subf %L_37, %L_38 : tensor<64x64xf32>
      %L_40 = math.exp %L_39 : tensor<64x64xf32>
      %L_41 = tt.expand_dims %rc {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %L_42 = tt.broadcast %L_41 : tensor<64x1xi32> -> tensor<64x64xi32>
      %L_43 = arith.cmpi sge, %L_42, %bb_18 : tensor<64x64xi32>
      %L_44 = arith.select %L_43, %L_40, %cst_0 : tensor<64x64xi1>, tensor<64x64xf32>
      %y = arith.mulf %g_35, %L_44 : tensor<64x64xf32>
      %y_45 = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xbf16>
      %y_46 = arith.truncf %S_2 : tensor<64x64xf32> to tensor<64x64xbf16>
      %y_47 = tt.dot %cc_25, %y_46, %cst_0, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16>
          -> tensor<64x64xf32>
      %y_48 = math.exp %cs : tensor<64xf32>
      %y_49 = tt.expand_dims %y_48 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %y_50 = tt.broadcast %y_49 : tensor<64x1xf32> -> tensor<64x64xf32>
      %y_51 = arith.mulf %y_47, %y_50 : tensor<64x64xf32>
      %y_52 = tt.dot %y_45, %xx_34, %y_51, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16>
          -> tensor<64x64xf32>
      %last = "tt.reduce"(%da_9) <{axis = 0 : i32}> ({
      ^bb0(%last_64: f32, %last_65: f32):
        %last_66 = arith.addf %last_64, %last_65 : f32
        tt.reduce.return %last_66 : f32
      }) : (tensor<64xf32>) -> f32
      %decay = tt.splat %last : f32 -> tensor<64xf32>
      %decay_53 = arith.subf %decay, %cs : tensor<64xf32>
      %decay_54 = math.exp %decay_53 : tensor<64xf32>
      %S_55 = math.exp %last : f32
      %S_56 = tt.splat %S_55 : f32 -> tensor<64x64xf32>
      %S_57 = arith.mulf %S_2, %S_56 : tensor<64x64xf32>
      %S_58 = tt.expand_dims %decay_54 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %S_59 = arith.extf %xx_34 : tensor<64x64xbf16> to tensor<64x64xf32>
      %S_60 = tt.broadcast %S_58 : tensor<64x1xf32> -> tensor<64x64xf32>
      %S_61 = arith.mulf %S_59, %S_60 : tensor<64x64xf32>
      %S_62 = arith.truncf %S_61 : tensor<64x64xf32> to tensor<64x64xbf16>
      %S_63 = tt.dot %g, %S_62, %S_57, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16>
          -> tensor<64x64xf32>
      %0 = tt.splat %o : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %1 = tt.addptr %0, %xx_26 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %2 = tt.addptr %1, %xx_30 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %3 = tt.broadcast %2 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %4 = tt.addptr %3, %bb_18 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %5 = arith.truncf %y_52 : tensor<64x64xf32> to tensor<64x64xbf16>
      tt.store %4, %5, %bb_20 : tensor<64x64x!tt.ptr<bf16>>
      scf.yield %S_63 : tensor<64x64xf32>
    }
    tt.return
  }
}
