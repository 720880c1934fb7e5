// A convolution whose left operand is gathered element by element and reshaped: the registers that its products read
// are not written before these are through.
// RUN: heddle run %s --device=sim --grid=2,2,1 --scalars=Cc=5,Hh=9,W=11,OH=9,OW=11,KC=20 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,2,1 --scalars=Cc=5,Hh=9,W=11,OH=9,OW=11,KC=20 \
// RUN:   | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_c2(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %Cc: i32, %Hh: i32, %W: i32, %OH: i32, %OW: i32, %KC: i32) {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<32x32xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %KT = arith.constant 9 : i32
    %cst_1 = arith.constant dense<0> : tensor<64x32xi32>
    %cst_2 = arith.constant dense<1> : tensor<64x32xi32>
    %cst_3 = arith.constant dense<3> : tensor<32xi32>
    %cst_4 = arith.constant dense<9> : tensor<32xi32>
    %c64_i32 = arith.constant 64 : i32
    %pm = tt.get_program_id x : i32
    %n = tt.get_program_id y : i32
    %m = arith.muli %pm, %c64_i32 : i32
    %m_5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m_6 = tt.splat %m : i32 -> tensor<64xi32>
    %m_7 = arith.addi %m_6, %m_5 : tensor<64xi32>
    %oc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %oy = tt.splat %OW : i32 -> tensor<64xi32>
    %oy_8 = arith.divsi %m_7, %oy : tensor<64xi32>
    %ox = arith.remsi %m_7, %oy : tensor<64xi32>
    %KT_9 = arith.muli %Cc, %KT : i32
    %acc_10 = scf.for %k0 = %c0_i32 to %KT_9 step %c32_i32 iter_args(%acc_11 = %acc) -> (tensor<64x32xf32>)  : i32 {
      %k = tt.splat %k0 : i32 -> tensor<32xi32>
      %k_12 = arith.addi %k, %oc : tensor<32xi32>
      %c = arith.divsi %k_12, %cst_4 : tensor<32xi32>
      %r = arith.remsi %k_12, %cst_4 : tensor<32xi32>
      %ky = arith.divsi %r, %cst_3 : tensor<32xi32>
      %kx = arith.remsi %r, %cst_3 : tensor<32xi32>
      %iy = tt.expand_dims %oy_8 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %iy_13 = tt.expand_dims %ky {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %iy_14 = tt.broadcast %iy : tensor<64x1xi32> -> tensor<64x32xi32>
      %iy_15 = tt.broadcast %iy_13 : tensor<1x32xi32> -> tensor<64x32xi32>
      %iy_16 = arith.addi %iy_14, %iy_15 : tensor<64x32xi32>
      %iy_17 = arith.subi %iy_16, %cst_2 : tensor<64x32xi32>
      %ix = tt.expand_dims %ox {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %ix_18 = tt.expand_dims %kx {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %ix_19 = tt.broadcast %ix : tensor<64x1xi32> -> tensor<64x32xi32>
      %ix_20 = tt.broadcast %ix_18 : tensor<1x32xi32> -> tensor<64x32xi32>
      %ix_21 = arith.addi %ix_19, %ix_20 : tensor<64x32xi32>
      %ix_22 = arith.subi %ix_21, %cst_2 : tensor<64x32xi32>
      %ok = tt.expand_dims %m_7 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %ok_23 = arith.muli %OH, %OW : i32
      %ok_24 = tt.splat %ok_23 : i32 -> tensor<64x1xi32>
      %ok_25 = arith.cmpi slt, %ok, %ok_24 : tensor<64x1xi32>
      %ok_26 = tt.expand_dims %k_12 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %ok_27 = tt.splat %KT_9 : i32 -> tensor<1x32xi32>
      %ok_28 = arith.cmpi slt, %ok_26, %ok_27 : tensor<1x32xi32>
      %ok_29 = tt.broadcast %ok_25 : tensor<64x1xi1> -> tensor<64x32xi1>
      %ok_30 = tt.broadcast %ok_28 : tensor<1x32xi1> -> tensor<64x32xi1>
      %ok_31 = arith.andi %ok_29, %ok_30 : tensor<64x32xi1>
      %ok_32 = arith.cmpi sge, %iy_17, %cst_1 : tensor<64x32xi32>
      %ok_33 = arith.andi %ok_31, %ok_32 : tensor<64x32xi1>
      %ok_34 = tt.splat %Hh : i32 -> tensor<64x32xi32>
      %ok_35 = arith.cmpi slt, %iy_17, %ok_34 : tensor<64x32xi32>
      %ok_36 = arith.andi %ok_33, %ok_35 : tensor<64x32xi1>
      %ok_37 = arith.cmpi sge, %ix_22, %cst_1 : tensor<64x32xi32>
      %ok_38 = arith.andi %ok_36, %ok_37 : tensor<64x32xi1>
      %ok_39 = tt.splat %W : i32 -> tensor<64x32xi32>
      %ok_40 = arith.cmpi slt, %ix_22, %ok_39 : tensor<64x32xi32>
      %ok_41 = arith.andi %ok_38, %ok_40 : tensor<64x32xi1>
      %a = arith.muli %n, %Cc : i32
      %a_42 = arith.muli %a, %Hh : i32
      %a_43 = arith.muli %a_42, %W : i32
      %a_44 = tt.addptr %x, %a_43 : !tt.ptr<f16>, i32
      %a_45 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %a_46 = tt.splat %Hh : i32 -> tensor<1x32xi32>
      %a_47 = arith.muli %a_45, %a_46 : tensor<1x32xi32>
      %a_48 = tt.splat %W : i32 -> tensor<1x32xi32>
      %a_49 = arith.muli %a_47, %a_48 : tensor<1x32xi32>
      %a_50 = tt.splat %a_44 : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>>
      %a_51 = tt.addptr %a_50, %a_49 : tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>
      %a_52 = arith.muli %iy_17, %ok_39 : tensor<64x32xi32>
      %a_53 = tt.broadcast %a_51 : tensor<1x32x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %a_54 = tt.addptr %a_53, %a_52 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %a_55 = tt.addptr %a_54, %ix_22 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %a_56 = tt.load %a_55, %ok_41, %cst_0 : tensor<64x32x!tt.ptr<f16>>
      %b = tt.expand_dims %oc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %b_57 = tt.splat %KC : i32 -> tensor<1x32xi32>
      %b_58 = arith.cmpi slt, %b, %b_57 : tensor<1x32xi32>
      %b_59 = tt.expand_dims %k_12 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %b_60 = tt.splat %KT_9 : i32 -> tensor<32x1xi32>
      %b_61 = arith.cmpi slt, %b_59, %b_60 : tensor<32x1xi32>
      %b_62 = tt.broadcast %b_58 : tensor<1x32xi1> -> tensor<32x32xi1>
      %b_63 = tt.broadcast %b_61 : tensor<32x1xi1> -> tensor<32x32xi1>
      %b_64 = arith.andi %b_62, %b_63 : tensor<32x32xi1>
      %b_65 = arith.muli %b, %ok_27 : tensor<1x32xi32>
      %b_66 = tt.splat %w : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>>
      %b_67 = tt.addptr %b_66, %b_65 : tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>
      %b_68 = tt.broadcast %b_67 : tensor<1x32x!tt.ptr<f16>> -> tensor<32x32x!tt.ptr<f16>>
      %b_69 = tt.broadcast %b_59 : tensor<32x1xi32> -> tensor<32x32xi32>
      %b_70 = tt.addptr %b_68, %b_69 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      %b_71 = tt.load %b_70, %b_64, %cst : tensor<32x32x!tt.ptr<f16>>
      %acc_72 = tt.dot %a_56, %b_71, %acc_11, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x32xf16> ->
            tensor<64x32xf32>
      scf.yield %acc_72 : tensor<64x32xf32>
    }
    %0 = tt.expand_dims %m_7 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %1 = arith.muli %OH, %OW : i32
    %2 = tt.splat %1 : i32 -> tensor<64x1xi32>
    %3 = arith.cmpi slt, %0, %2 : tensor<64x1xi32>
    %4 = tt.expand_dims %oc {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %5 = tt.splat %KC : i32 -> tensor<1x32xi32>
    %6 = arith.cmpi slt, %4, %5 : tensor<1x32xi32>
    %7 = tt.broadcast %3 : tensor<64x1xi1> -> tensor<64x32xi1>
    %8 = tt.broadcast %6 : tensor<1x32xi1> -> tensor<64x32xi1>
    %9 = arith.andi %7, %8 : tensor<64x32xi1>
    %10 = arith.muli %n, %KC : i32
    %11 = arith.muli %10, %OH : i32
    %12 = arith.muli %11, %OW : i32
    %13 = tt.addptr %o, %12 : !tt.ptr<f32>, i32
    %14 = tt.splat %OH : i32 -> tensor<1x32xi32>
    %15 = arith.muli %4, %14 : tensor<1x32xi32>
    %16 = tt.splat %OW : i32 -> tensor<1x32xi32>
    %17 = arith.muli %15, %16 : tensor<1x32xi32>
    %18 = tt.splat %13 : !tt.ptr<f32> -> tensor<1x32x!tt.ptr<f32>>
    %19 = tt.addptr %18, %17 : tensor<1x32x!tt.ptr<f32>>, tensor<1x32xi32>
    %20 = tt.broadcast %19 : tensor<1x32x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
    %21 = tt.broadcast %0 : tensor<64x1xi32> -> tensor<64x32xi32>
    %22 = tt.addptr %20, %21 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    tt.store %22, %acc_10, %9 : tensor<64x32x!tt.ptr<f32>>
    tt.return
  }
}
