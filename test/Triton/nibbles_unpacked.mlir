// Weights of 4 bits unpacked to floats, without a product.
// RUN: heddle run %s --device=sim --grid=2,1,1 --scalars=M=50,N=60 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,1,1 --scalars=M=50,N=60 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_packed(%b: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32) {
    %v = arith.constant dense<0> : tensor<32x64xi8>
    %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %q = arith.constant dense<8> : tensor<32x64xi32>
    %q_0 = arith.constant dense<15> : tensor<32x64xi32>
    %q_1 = arith.constant dense<4> : tensor<64xi32>
    %q_2 = arith.constant dense<2> : tensor<64xi32>
    %v_3 = arith.constant dense<2> : tensor<1x64xi32>
    %c2_i32 = arith.constant 2 : i32
    %c32_i32 = arith.constant 32 : i32
    %m = tt.get_program_id x : i32
    %m_4 = arith.muli %m, %c32_i32 : i32
    %m_5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %m_6 = tt.splat %m_4 : i32 -> tensor<32xi32>
    %m_7 = arith.addi %m_6, %m_5 : tensor<32xi32>
    %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %mk = tt.expand_dims %m_7 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %mk_8 = tt.splat %M : i32 -> tensor<32x1xi32>
    %mk_9 = arith.cmpi slt, %mk, %mk_8 : tensor<32x1xi32>
    %mk_10 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %mk_11 = tt.splat %N : i32 -> tensor<1x64xi32>
    %mk_12 = arith.cmpi slt, %mk_10, %mk_11 : tensor<1x64xi32>
    %mk_13 = tt.broadcast %mk_9 : tensor<32x1xi1> -> tensor<32x64xi1>
    %mk_14 = tt.broadcast %mk_12 : tensor<1x64xi1> -> tensor<32x64xi1>
    %mk_15 = arith.andi %mk_13, %mk_14 : tensor<32x64xi1>
    %v_16 = arith.divsi %N, %c2_i32 : i32
    %v_17 = tt.splat %v_16 : i32 -> tensor<32x1xi32>
    %v_18 = arith.muli %mk, %v_17 : tensor<32x1xi32>
    %v_19 = tt.splat %b : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %v_20 = tt.addptr %v_19, %v_18 : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %v_21 = arith.divsi %mk_10, %v_3 : tensor<1x64xi32>
    %v_22 = tt.broadcast %v_20 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
    %v_23 = tt.broadcast %v_21 : tensor<1x64xi32> -> tensor<32x64xi32>
    %v_24 = tt.addptr %v_22, %v_23 : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
    %v_25 = tt.load %v_24, %mk_15, %v : tensor<32x64x!tt.ptr<i8>>
    %q_26 = arith.extui %v_25 : tensor<32x64xi8> to tensor<32x64xi32>
    %q_27 = arith.remsi %n, %q_2 : tensor<64xi32>
    %q_28 = arith.muli %q_27, %q_1 : tensor<64xi32>
    %q_29 = tt.expand_dims %q_28 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %q_30 = tt.broadcast %q_29 : tensor<1x64xi32> -> tensor<32x64xi32>
    %q_31 = arith.shrsi %q_26, %q_30 : tensor<32x64xi32>
    %q_32 = arith.andi %q_31, %q_0 : tensor<32x64xi32>
    %q_33 = arith.subi %q_32, %q : tensor<32x64xi32>
    %0 = tt.splat %N : i32 -> tensor<32x1xi32>
    %1 = arith.muli %mk, %0 : tensor<32x1xi32>
    %2 = tt.splat %o : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %3 = tt.addptr %2, %1 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %4 = tt.broadcast %3 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
    %5 = tt.broadcast %mk_10 : tensor<1x64xi32> -> tensor<32x64xi32>
    %6 = tt.addptr %4, %5 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %7 = arith.sitofp %q_33 : tensor<32x64xi32> to tensor<32x64xf32>
    %8 = tt.splat %M : i32 -> tensor<32xi32>
    %9 = arith.cmpi slt, %m_7, %8 : tensor<32xi32>
    %10 = tt.splat %s : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %11 = tt.addptr %10, %m_7 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %12 = tt.load %11, %9, %cst : tensor<32x!tt.ptr<f32>>
    %13 = tt.expand_dims %12 {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %14 = tt.broadcast %13 : tensor<32x1xf32> -> tensor<32x64xf32>
    %15 = arith.mulf %7, %14 : tensor<32x64xf32>
    tt.store %6, %15, %mk_15 : tensor<32x64x!tt.ptr<f32>>
    tt.return
  }
}
