// The sum of all elements of a tile of rank 2, carried by a loop as a scalar.
// RUN: heddle run %s --device=sim --grid=3 --scalars=M=90,N=300,s=304 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @frob(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %M: i32, %N: i32, %s: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<32x128xf16>
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    %true = arith.constant true
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c32_i32 = arith.constant 32 : i32
    %p = tt.get_program_id x : i32
    %r = arith.muli %p, %c32_i32 : i32
    %r_1 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r_2 = tt.splat %r : i32 -> tensor<32xi32>
    %r_3 = arith.addi %r_2, %r_1 : tensor<32xi32>
    %acc = scf.for %n = %c0_i32 to %N step %c128_i32 iter_args(%acc_4 = %cst_0) -> (f32)  : i32 {
      %c = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
      %c_5 = tt.splat %n : i32 -> tensor<128xi32>
      %c_6 = arith.addi %c_5, %c : tensor<128xi32>
      %z = tt.expand_dims %r_3 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %z_7 = tt.splat %M : i32 -> tensor<32x1xi32>
      %z_8 = arith.cmpi slt, %z, %z_7 : tensor<32x1xi32>
      %z_9 = tt.expand_dims %c_6 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
      %z_10 = tt.splat %N : i32 -> tensor<1x128xi32>
      %z_11 = arith.cmpi slt, %z_9, %z_10 : tensor<1x128xi32>
      %z_12 = tt.broadcast %z_8 : tensor<32x1xi1> -> tensor<32x128xi1>
      %z_13 = tt.broadcast %z_11 : tensor<1x128xi1> -> tensor<32x128xi1>
      %z_14 = arith.andi %z_12, %z_13 : tensor<32x128xi1>
      %z_15 = tt.splat %s : i32 -> tensor<32x1xi32>
      %z_16 = arith.muli %z, %z_15 : tensor<32x1xi32>
      %z_17 = tt.splat %x : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %z_18 = tt.addptr %z_17, %z_16 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %z_19 = tt.broadcast %z_18 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x128x!tt.ptr<f16>>
      %z_20 = tt.broadcast %z_9 : tensor<1x128xi32> -> tensor<32x128xi32>
      %z_21 = tt.addptr %z_19, %z_20 : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
      %z_22 = tt.load %z_21, %z_14, %cst : tensor<32x128x!tt.ptr<f16>>
      %z_23 = arith.extf %z_22 : tensor<32x128xf16> to tensor<32x128xf32>
      %acc_24 = arith.mulf %z_23, %z_23 : tensor<32x128xf32>
      %acc_25 = tt.reshape %acc_24 allow_reorder : tensor<32x128xf32> -> tensor<4096xf32>
      %acc_26 = "tt.reduce"(%acc_25) <{axis = 0 : i32}> ({
      ^bb0(%acc_28: f32, %acc_29: f32):
        %acc_30 = arith.addf %acc_28, %acc_29 : f32
        tt.reduce.return %acc_30 : f32
      }) : (tensor<4096xf32>) -> f32
      %acc_27 = arith.addf %acc_4, %acc_26 : f32
      scf.yield %acc_27 : f32
    }
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %o, %acc, %true : (!tt.ptr<f32>, f32, i1) -> f32
    tt.return
  }
}
