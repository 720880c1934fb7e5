// A vector turned round: its loads descend.
// RUN: heddle run %s --device=sim --grid=3,1,1 --scalars=N=300 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3,1,1 --scalars=N=300 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_rev(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %N: i32) {
    %c-1_i32 = arith.constant -1 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %cst_0 = arith.constant dense<0> : tensor<128xi32>
    %c128_i32 = arith.constant 128 : i32
    %i = tt.get_program_id x : i32
    %i_1 = arith.muli %i, %c128_i32 : i32
    %i_2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %i_3 = tt.splat %i_1 : i32 -> tensor<128xi32>
    %i_4 = arith.addi %i_3, %i_2 : tensor<128xi32>
    %0 = tt.splat %N : i32 -> tensor<128xi32>
    %1 = arith.cmpi slt, %i_4, %0 : tensor<128xi32>
    %2 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i_4 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %4 = tt.addptr %x, %N : !tt.ptr<f32>, i32
    %5 = tt.addptr %4, %c-1_i32 : !tt.ptr<f32>, i32
    %6 = tt.splat %5 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %7 = arith.subi %cst_0, %i_4 : tensor<128xi32>
    %8 = tt.addptr %6, %7 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %9 = tt.load %8, %1, %cst : tensor<128x!tt.ptr<f32>>
    tt.store %3, %9, %1 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
