// A row and itself turned round, added in place: each element is loaded twice before it is stored.
// RUN: heddle run %s --device=sim --grid=4,1,1 --scalars=N=4 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4,1,1 --scalars=N=4 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_halves(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %b = arith.constant 63 : i32
    %cst = arith.constant dense<2.000000e+00> : tensor<64xf32>
    %b_0 = arith.constant dense<0> : tensor<64xi32>
    %c64_i32 = arith.constant 64 : i32
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %a = arith.muli %r, %c64_i32 : i32
    %a_1 = tt.addptr %x, %a : !tt.ptr<f32>, i32
    %a_2 = tt.splat %a_1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %a_3 = tt.addptr %a_2, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a_4 = tt.load %a_3 : tensor<64x!tt.ptr<f32>>
    %b_5 = tt.addptr %a_1, %b : !tt.ptr<f32>, i32
    %b_6 = tt.splat %b_5 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %b_7 = arith.subi %b_0, %i : tensor<64xi32>
    %b_8 = tt.addptr %b_6, %b_7 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %b_9 = tt.load %b_8 : tensor<64x!tt.ptr<f32>>
    %0 = arith.mulf %b_9, %cst : tensor<64xf32>
    %1 = arith.addf %a_4, %0 : tensor<64xf32>
    tt.store %a_3, %1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
