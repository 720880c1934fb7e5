// Bytes read as floats of 8 bits, and a sign taken off by the bits of floats of 16.
// RUN: heddle run %s --device=sim --grid=2 --scalars=s=64 --input 'k=integers(0,120)' | FileCheck %s
// RUN: heddle run %s --device=emulate --grid=2 --scalars=s=64 --input 'k=integers(0,120)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @fp8_bytes2(%k: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sc: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %s: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<1.000000e+00> : tensor<32x64xf16>
    %sign = arith.constant dense<32767> : tensor<32x64xi16>
    %c32_i32 = arith.constant 32 : i32
    %r = tt.get_program_id x : i32
    %r_0 = arith.muli %r, %c32_i32 : i32
    %r_1 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r_2 = tt.splat %r_0 : i32 -> tensor<32xi32>
    %r_3 = arith.addi %r_2, %r_1 : tensor<32xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %x = tt.expand_dims %r_3 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %x_4 = tt.splat %s : i32 -> tensor<32x1xi32>
    %x_5 = arith.muli %x, %x_4 : tensor<32x1xi32>
    %x_6 = tt.splat %k : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %x_7 = tt.addptr %x_6, %x_5 : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %x_8 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_9 = tt.broadcast %x_7 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
    %x_10 = tt.broadcast %x_8 : tensor<1x64xi32> -> tensor<32x64xi32>
    %x_11 = tt.addptr %x_9, %x_10 : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
    %x_12 = tt.load %x_11 : tensor<32x64x!tt.ptr<i8>>
    %x_13 = tt.bitcast %x_12 : tensor<32x64xi8> -> tensor<32x64xf8E4M3FN>
    %x_14 = tt.fp_to_fp %x_13 : tensor<32x64xf8E4M3FN> -> tensor<32x64xf32>
    %x_15 = tt.load %sc : !tt.ptr<f32>
    %x_16 = tt.splat %x_15 : f32 -> tensor<32x64xf32>
    %x_17 = arith.mulf %x_14, %x_16 : tensor<32x64xf32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %1 = tt.addptr %0, %x_5 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %2 = tt.broadcast %1 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %x_10 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    tt.store %3, %x_17 : tensor<32x64x!tt.ptr<f32>>
    %h = tt.splat %b : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
    %h_18 = tt.addptr %h, %x_5 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
    %h_19 = tt.broadcast %h_18 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
    %h_20 = tt.addptr %h_19, %x_10 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %h_21 = tt.load %h_20 : tensor<32x64x!tt.ptr<f16>>
    %sign_22 = tt.bitcast %h_21 : tensor<32x64xf16> -> tensor<32x64xi16>
    %sign_23 = arith.andi %sign_22, %sign : tensor<32x64xi16>
    %sign_24 = tt.bitcast %sign_23 : tensor<32x64xi16> -> tensor<32x64xf16>
    %4 = arith.addf %sign_24, %cst : tensor<32x64xf16>
    tt.store %h_20, %4 : tensor<32x64x!tt.ptr<f16>>
    tt.return
  }
}
