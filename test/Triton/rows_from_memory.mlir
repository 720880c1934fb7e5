// A loop over rows that begins where memory says: the gradient of the weights of an expert. Such numbers are not
// negative (docs/Triton.md), and the copy engine loads the rows of windows that end where the expert's do.
// RUN: heddle run %s --device=sim --grid=2,1,3 --scalars=sx=128,sy=64,K=100,N=64 --input 'CU=arange(5,70)' \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<64x64xf16>: box of a window of 'X'
// EXPLAIN: load of tensor<64x64xf16>: box of a window of 'DY'
tt.func @moe_dw(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %DY: !tt.ptr<f16> {tt.divisibility = 16 : i32},
    %CU: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %DW: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32
    {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}, %sx: i32 {tt.divisibility = 16 : i32},
    %sy: i32 {tt.divisibility = 16 : i32}) {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %c64_i32 = arith.constant 64 : i32
  %r1 = arith.constant 1 : i32
  %pk = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %e = tt.get_program_id z : i32
  %r0 = tt.addptr %CU, %e : !tt.ptr<i32>, i32
  %r0_1 = tt.load %r0 : !tt.ptr<i32>
  %r1_2 = tt.addptr %r0, %r1 : !tt.ptr<i32>, i32
  %r1_3 = tt.load %r1_2 : !tt.ptr<i32>
  %ok = arith.muli %pk, %c64_i32 : i32
  %ok_4 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ok_5 = tt.splat %ok : i32 -> tensor<64xi32>
  %ok_6 = arith.addi %ok_5, %ok_4 : tensor<64xi32>
  %on = arith.muli %pn, %c64_i32 : i32
  %on_7 = tt.splat %on : i32 -> tensor<64xi32>
  %on_8 = arith.addi %on_7, %ok_4 : tensor<64xi32>
  %acc = scf.for %t0 = %r0_1 to %r1_3 step %c64_i32 iter_args(%acc_9 = %cst_0) -> (tensor<64x64xf32>)  : i32 {
    %m = tt.splat %t0 : i32 -> tensor<64xi32>
    %m_10 = arith.addi %m, %ok_4 : tensor<64xi32>
    %m_11 = tt.splat %r1_3 : i32 -> tensor<64xi32>
    %m_12 = arith.cmpi slt, %m_10, %m_11 : tensor<64xi32>
    %x = tt.expand_dims %m_12 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %x_13 = tt.expand_dims %ok_6 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %x_14 = tt.splat %K : i32 -> tensor<64x1xi32>
    %x_15 = arith.cmpi slt, %x_13, %x_14 : tensor<64x1xi32>
    %x_16 = tt.broadcast %x : tensor<1x64xi1> -> tensor<64x64xi1>
    %x_17 = tt.broadcast %x_15 : tensor<64x1xi1> -> tensor<64x64xi1>
    %x_18 = arith.andi %x_16, %x_17 : tensor<64x64xi1>
    %x_19 = tt.expand_dims %m_10 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_20 = tt.splat %sx : i32 -> tensor<1x64xi32>
    %x_21 = arith.muli %x_19, %x_20 : tensor<1x64xi32>
    %x_22 = tt.splat %X : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
    %x_23 = tt.addptr %x_22, %x_21 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
    %x_24 = tt.broadcast %x_23 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %x_25 = tt.broadcast %x_13 : tensor<64x1xi32> -> tensor<64x64xi32>
    %x_26 = tt.addptr %x_24, %x_25 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x_27 = tt.load %x_26, %x_18, %cst : tensor<64x64x!tt.ptr<f16>>
    %d = tt.expand_dims %m_12 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %d_28 = tt.expand_dims %on_8 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %d_29 = tt.splat %N : i32 -> tensor<1x64xi32>
    %d_30 = arith.cmpi slt, %d_28, %d_29 : tensor<1x64xi32>
    %d_31 = tt.broadcast %d : tensor<64x1xi1> -> tensor<64x64xi1>
    %d_32 = tt.broadcast %d_30 : tensor<1x64xi1> -> tensor<64x64xi1>
    %d_33 = arith.andi %d_31, %d_32 : tensor<64x64xi1>
    %d_34 = tt.expand_dims %m_10 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %d_35 = tt.splat %sy : i32 -> tensor<64x1xi32>
    %d_36 = arith.muli %d_34, %d_35 : tensor<64x1xi32>
    %d_37 = tt.splat %DY : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %d_38 = tt.addptr %d_37, %d_36 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %d_39 = tt.broadcast %d_38 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %d_40 = tt.broadcast %d_28 : tensor<1x64xi32> -> tensor<64x64xi32>
    %d_41 = tt.addptr %d_39, %d_40 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %d_42 = tt.load %d_41, %d_33, %cst : tensor<64x64x!tt.ptr<f16>>
    %acc_43 = tt.dot %x_27, %d_42, %acc_9 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %acc_43 : tensor<64x64xf32>
  }
  %0 = tt.expand_dims %ok_6 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %1 = tt.splat %K : i32 -> tensor<64x1xi32>
  %2 = arith.cmpi slt, %0, %1 : tensor<64x1xi32>
  %3 = tt.expand_dims %on_8 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %4 = tt.splat %N : i32 -> tensor<1x64xi32>
  %5 = arith.cmpi slt, %3, %4 : tensor<1x64xi32>
  %6 = tt.broadcast %2 : tensor<64x1xi1> -> tensor<64x64xi1>
  %7 = tt.broadcast %5 : tensor<1x64xi1> -> tensor<64x64xi1>
  %8 = arith.andi %6, %7 : tensor<64x64xi1>
  %9 = arith.muli %e, %K : i32
  %10 = arith.muli %9, %N : i32
  %11 = tt.addptr %DW, %10 : !tt.ptr<f32>, i32
  %12 = tt.splat %N : i32 -> tensor<64x1xi32>
  %13 = arith.muli %0, %12 : tensor<64x1xi32>
  %14 = tt.splat %11 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %15 = tt.addptr %14, %13 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %16 = tt.broadcast %15 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %17 = tt.broadcast %3 : tensor<1x64xi32> -> tensor<64x64xi32>
  %18 = tt.addptr %16, %17 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %18, %acc, %8 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
