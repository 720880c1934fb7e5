// Descriptors that the kernel makes with a length from memory: windows, from which the copy engine loads.
// RUN: heddle run %s --device=sim --grid=2,1,3 --scalars=sx=128,sy=64,K=104,N=64 --input 'CU=arange(5,70)' \
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
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %c1_i64 = arith.constant 1 : i64
  %c64_i32 = arith.constant 64 : i32
  %r1 = arith.constant 1 : i32
  %pk = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %e = tt.get_program_id z : i32
  %r0 = tt.addptr %CU, %e : !tt.ptr<i32>, i32
  %r0_0 = tt.load %r0 : !tt.ptr<i32>
  %r1_1 = tt.addptr %r0, %r1 : !tt.ptr<i32>, i32
  %r1_2 = tt.load %r1_1 : !tt.ptr<i32>
  %ok = arith.muli %pk, %c64_i32 : i32
  %ok_3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ok_4 = tt.splat %ok : i32 -> tensor<64xi32>
  %ok_5 = arith.addi %ok_4, %ok_3 : tensor<64xi32>
  %on = arith.muli %pn, %c64_i32 : i32
  %on_6 = tt.splat %on : i32 -> tensor<64xi32>
  %on_7 = arith.addi %on_6, %ok_3 : tensor<64xi32>
  %xd = arith.muli %r0_0, %sx : i32
  %xd_8 = tt.addptr %X, %xd : !tt.ptr<f16>, i32
  %xd_9 = arith.subi %r1_2, %r0_0 : i32
  %xd_10 = arith.extsi %sx : i32 to i64
  %xd_11 = tt.make_tensor_descriptor %xd_8, [%xd_9, %K], [%xd_10, %c1_i64] : <f16>, <tensor<64x64xf16>>
  %dd = arith.muli %r0_0, %sy : i32
  %dd_12 = tt.addptr %DY, %dd : !tt.ptr<f16>, i32
  %dd_13 = arith.extsi %sy : i32 to i64
  %dd_14 = tt.make_tensor_descriptor %dd_12, [%xd_9, %N], [%dd_13, %c1_i64] : <f16>, <tensor<64x64xf16>>
  %acc = scf.for %t0 = %c0_i32 to %xd_9 step %c64_i32 iter_args(%acc_15 = %cst) -> (tensor<64x64xf32>)  : i32 {
    %acc_16 = tt.descriptor_load %xd_11[%t0, %ok] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %acc_17 = tt.trans %acc_16 {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %acc_18 = tt.descriptor_load %dd_14[%t0, %on] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %acc_19 = tt.dot %acc_17, %acc_18, %acc_15 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %acc_19 : tensor<64x64xf32>
  }
  %0 = tt.expand_dims %ok_5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %1 = tt.splat %K : i32 -> tensor<64x1xi32>
  %2 = arith.cmpi slt, %0, %1 : tensor<64x1xi32>
  %3 = tt.expand_dims %on_7 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
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
