// The same by stores that descend.
// RUN: heddle run %s --device=sim --grid=3,1,1 --scalars=N=300 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3,1,1 --scalars=N=300 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_revst(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %N: i32) {
    %c-1_i32 = arith.constant -1 : i32
    %cst = arith.constant dense<0> : tensor<128xi32>
    %c128_i32 = arith.constant 128 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c128_i32 : i32
    %i_1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<128xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<128xi32>
    %0 = tt.splat %N : i32 -> tensor<128xi32>
    %1 = arith.cmpi slt, %i_3, %0 : tensor<128xi32>
    %2 = tt.addptr %o, %N : !tt.ptr<f32>, i32
    %3 = tt.addptr %2, %c-1_i32 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %5 = arith.subi %cst, %i_3 : tensor<128xi32>
    %6 = tt.addptr %4, %5 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %7 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %8 = tt.addptr %7, %i_3 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %9 = tt.load %8, %1 : tensor<128x!tt.ptr<f32>>
    tt.store %6, %9, %1 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
