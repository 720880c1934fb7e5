// A convolution: rows around each position, with three distances along one dimension of the tile.
// RUN: heddle run %s --device=sim --grid=2 --scalars=images=1,C=32,height=9,width=9,out=48 \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=images=1,C=32,height=9,width=9,out=48 \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @window(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %W: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %images: i32, %C: i32 {tt.divisibility = 16 : i32},
      %height: i32, %width: i32, %out: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c32_i32 = arith.constant 32 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0> : tensor<64xi32>
    %cst_2 = arith.constant dense<1> : tensor<64xi32>
    %c3_i32 = arith.constant 3 : i32
    %c64_i32 = arith.constant 64 : i32
    %rm = tt.get_program_id x : i32
    %rm_3 = arith.muli %rm, %c64_i32 : i32
    %rm_4 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rm_5 = tt.splat %rm_3 : i32 -> tensor<64xi32>
    %rm_6 = arith.addi %rm_5, %rm_4 : tensor<64xi32>
    %rk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %n = arith.muli %height, %width : i32
    %n_7 = tt.splat %n : i32 -> tensor<64xi32>
    %n_8 = arith.divsi %rm_6, %n_7 : tensor<64xi32>
    %y = tt.splat %width : i32 -> tensor<64xi32>
    %y_9 = arith.divsi %rm_6, %y : tensor<64xi32>
    %y_10 = tt.splat %height : i32 -> tensor<64xi32>
    %y_11 = arith.remsi %y_9, %y_10 : tensor<64xi32>
    %x = arith.remsi %rm_6, %y : tensor<64xi32>
    %acc_12 = scf.for %r = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%acc_13 = %acc) -> (tensor<64x64xf32>)  : i32 {
      %acc_14 = scf.for %s = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%acc_15 = %acc_13) -> (tensor<64x64xf32>)
          : i32 {
        %iy = tt.splat %r : i32 -> tensor<64xi32>
        %iy_16 = arith.addi %y_11, %iy : tensor<64xi32>
        %iy_17 = arith.subi %iy_16, %cst_2 : tensor<64xi32>
        %ix = tt.splat %s : i32 -> tensor<64xi32>
        %ix_18 = arith.addi %x, %ix : tensor<64xi32>
        %ix_19 = arith.subi %ix_18, %cst_2 : tensor<64xi32>
        %ok = arith.cmpi sge, %iy_17, %cst_1 : tensor<64xi32>
        %ok_20 = arith.cmpi slt, %iy_17, %y_10 : tensor<64xi32>
        %ok_21 = arith.andi %ok, %ok_20 : tensor<64xi1>
        %ok_22 = arith.cmpi sge, %ix_19, %cst_1 : tensor<64xi32>
        %ok_23 = arith.andi %ok_21, %ok_22 : tensor<64xi1>
        %ok_24 = arith.cmpi slt, %ix_19, %y : tensor<64xi32>
        %ok_25 = arith.andi %ok_23, %ok_24 : tensor<64xi1>
        %ok_26 = tt.splat %images : i32 -> tensor<64xi32>
        %ok_27 = arith.cmpi slt, %n_8, %ok_26 : tensor<64xi32>
        %ok_28 = arith.andi %ok_25, %ok_27 : tensor<64xi1>
        %acc_29 = scf.for %c = %c0_i32 to %C step %c32_i32 iter_args(%acc_30 = %acc_15) -> (tensor<64x64xf32>)
            : i32 {
          %a = tt.expand_dims %ok_28 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
          %a_31 = tt.splat %c : i32 -> tensor<32xi32>
          %a_32 = arith.addi %a_31, %rk : tensor<32xi32>
          %a_33 = tt.expand_dims %a_32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
          %a_34 = tt.splat %C : i32 -> tensor<1x32xi32>
          %a_35 = arith.cmpi slt, %a_33, %a_34 : tensor<1x32xi32>
          %a_36 = tt.broadcast %a : tensor<64x1xi1> -> tensor<64x32xi1>
          %a_37 = tt.broadcast %a_35 : tensor<1x32xi1> -> tensor<64x32xi1>
          %a_38 = arith.andi %a_36, %a_37 : tensor<64x32xi1>
          %a_39 = arith.muli %n_8, %y_10 : tensor<64xi32>
          %a_40 = arith.muli %a_39, %y : tensor<64xi32>
          %a_41 = arith.muli %iy_17, %y : tensor<64xi32>
          %a_42 = arith.addi %a_40, %a_41 : tensor<64xi32>
          %a_43 = arith.addi %a_42, %ix_19 : tensor<64xi32>
          %a_44 = tt.expand_dims %a_43 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
          %a_45 = tt.splat %C : i32 -> tensor<64x1xi32>
          %a_46 = arith.muli %a_44, %a_45 : tensor<64x1xi32>
          %a_47 = tt.splat %X : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
          %a_48 = tt.addptr %a_47, %a_46 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
          %a_49 = tt.broadcast %a_48 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
          %a_50 = tt.broadcast %a_33 : tensor<1x32xi32> -> tensor<64x32xi32>
          %a_51 = tt.addptr %a_49, %a_50 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
          %a_52 = tt.load %a_51, %a_38, %cst_0 : tensor<64x32x!tt.ptr<f16>>
          %b = tt.expand_dims %a_32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
          %b_53 = tt.splat %C : i32 -> tensor<32x1xi32>
          %b_54 = arith.cmpi slt, %b, %b_53 : tensor<32x1xi32>
          %b_55 = tt.expand_dims %rm_4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
          %b_56 = tt.splat %out : i32 -> tensor<1x64xi32>
          %b_57 = arith.cmpi slt, %b_55, %b_56 : tensor<1x64xi32>
          %b_58 = tt.broadcast %b_54 : tensor<32x1xi1> -> tensor<32x64xi1>
          %b_59 = tt.broadcast %b_57 : tensor<1x64xi1> -> tensor<32x64xi1>
          %b_60 = arith.andi %b_58, %b_59 : tensor<32x64xi1>
          %b_61 = arith.muli %r, %c3_i32 : i32
          %b_62 = arith.addi %b_61, %s : i32
          %b_63 = arith.muli %b_62, %C : i32
          %b_64 = arith.muli %b_63, %out : i32
          %b_65 = tt.addptr %W, %b_64 : !tt.ptr<f16>, i32
          %b_66 = tt.splat %out : i32 -> tensor<32x1xi32>
          %b_67 = arith.muli %b, %b_66 : tensor<32x1xi32>
          %b_68 = tt.splat %b_65 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
          %b_69 = tt.addptr %b_68, %b_67 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
          %b_70 = tt.broadcast %b_69 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
          %b_71 = tt.broadcast %b_55 : tensor<1x64xi32> -> tensor<32x64xi32>
          %b_72 = tt.addptr %b_70, %b_71 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
          %b_73 = tt.load %b_72, %b_60, %cst : tensor<32x64x!tt.ptr<f16>>
          %acc_74 = tt.dot %a_52, %b_73, %acc_30, inputPrecision = tf32
              : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
          scf.yield %acc_74 : tensor<64x64xf32>
        }
        scf.yield %acc_29 : tensor<64x64xf32>
      }
      scf.yield %acc_14 : tensor<64x64xf32>
    }
    %0 = tt.expand_dims %rm_6 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %1 = arith.muli %images, %height : i32
    %2 = arith.muli %1, %width : i32
    %3 = tt.splat %2 : i32 -> tensor<64x1xi32>
    %4 = arith.cmpi slt, %0, %3 : tensor<64x1xi32>
    %5 = tt.expand_dims %rm_4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.splat %out : i32 -> tensor<1x64xi32>
    %7 = arith.cmpi slt, %5, %6 : tensor<1x64xi32>
    %8 = tt.broadcast %4 : tensor<64x1xi1> -> tensor<64x64xi1>
    %9 = tt.broadcast %7 : tensor<1x64xi1> -> tensor<64x64xi1>
    %10 = arith.andi %8, %9 : tensor<64x64xi1>
    %11 = tt.splat %out : i32 -> tensor<64x1xi32>
    %12 = arith.muli %0, %11 : tensor<64x1xi32>
    %13 = tt.splat %Y : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %14 = tt.addptr %13, %12 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %15 = tt.broadcast %14 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %16 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<64x64xi32>
    %17 = tt.addptr %15, %16 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %17, %acc_12, %10 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
