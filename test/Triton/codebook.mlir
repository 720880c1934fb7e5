// A table of 256 floats, looked up by a tile of bytes.
// RUN: heddle run %s --device=sim --grid=2,1,1 --scalars=N=50 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,1,1 --scalars=N=50 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_code(%idx: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %cb: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %i = arith.constant dense<0> : tensor<32x64xi8>
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
    %cst_0 = arith.constant dense<64> : tensor<32x1xi32>
    %c32_i32 = arith.constant 32 : i32
    %r = tt.get_program_id x : i32
    %r_1 = arith.muli %r, %c32_i32 : i32
    %r_2 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r_3 = tt.splat %r_1 : i32 -> tensor<32xi32>
    %r_4 = arith.addi %r_3, %r_2 : tensor<32xi32>
    %d = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_5 = tt.expand_dims %r_4 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %i_6 = tt.splat %N : i32 -> tensor<32x1xi32>
    %i_7 = arith.cmpi slt, %i_5, %i_6 : tensor<32x1xi32>
    %i_8 = arith.muli %i_5, %cst_0 : tensor<32x1xi32>
    %i_9 = tt.splat %idx : !tt.ptr<i8> -> tensor<32x1x!tt.ptr<i8>>
    %i_10 = tt.addptr %i_9, %i_8 : tensor<32x1x!tt.ptr<i8>>, tensor<32x1xi32>
    %i_11 = tt.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %i_12 = tt.broadcast %i_10 : tensor<32x1x!tt.ptr<i8>> -> tensor<32x64x!tt.ptr<i8>>
    %i_13 = tt.broadcast %i_11 : tensor<1x64xi32> -> tensor<32x64xi32>
    %i_14 = tt.addptr %i_12, %i_13 : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
    %i_15 = tt.broadcast %i_7 : tensor<32x1xi1> -> tensor<32x64xi1>
    %i_16 = tt.load %i_14, %i_15, %i : tensor<32x64x!tt.ptr<i8>>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_8 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %2 = tt.broadcast %1 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i_13 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %4 = tt.splat %cb : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
    %5 = arith.extui %i_16 : tensor<32x64xi8> to tensor<32x64xi64>
    %6 = tt.addptr %4, %5 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi64>
    %7 = tt.load %6, %i_15, %cst : tensor<32x64x!tt.ptr<f32>>
    tt.store %3, %7, %i_15 : tensor<32x64x!tt.ptr<f32>>
    tt.return
  }
}
