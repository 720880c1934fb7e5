// Mean and variance by Welford's combination: a reduction of three operands to scalars.
// RUN: heddle run %s --device=sim --grid=5,1,1 --scalars=N=200 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=5,1,1 --scalars=N=200 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_welf(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %om: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %ov: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<256xf32>
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %m = tt.splat %N : i32 -> tensor<256xi32>
    %m_1 = arith.cmpi slt, %i, %m : tensor<256xi32>
    %v = arith.muli %r, %N : i32
    %v_2 = tt.addptr %x, %v : !tt.ptr<f32>, i32
    %v_3 = tt.splat %v_2 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %v_4 = tt.addptr %v_3, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v_5 = tt.load %v_4, %m_1, %cst_0 : tensor<256x!tt.ptr<f32>>
    %w = arith.uitofp %m_1 : tensor<256xi1> to tensor<256xf32>
    %0:3 = "tt.reduce"(%v_5, %cst_0, %w) <{axis = 0 : i32}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32, %arg9: f32):
      %d = arith.subf %arg7, %arg4 : f32
      %w_6 = arith.addf %arg6, %arg9 : f32
      %q = arith.cmpf oeq, %w_6, %cst : f32
      %q_7 = arith.divf %arg9, %w_6 : f32
      %q_8 = arith.select %q, %cst, %q_7 : f32
      %4 = arith.mulf %d, %q_8 : f32
      %5 = arith.addf %arg4, %4 : f32
      %6 = arith.addf %arg5, %arg8 : f32
      %7 = arith.mulf %d, %d : f32
      %8 = arith.mulf %7, %arg6 : f32
      %9 = arith.mulf %8, %q_8 : f32
      %10 = arith.addf %6, %9 : f32
      tt.reduce.return %5, %10, %w_6 : f32, f32, f32
    }) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (f32, f32, f32)
    %1 = tt.addptr %om, %r : !tt.ptr<f32>, i32
    tt.store %1, %0#0 : !tt.ptr<f32>
    %2 = tt.addptr %ov, %r : !tt.ptr<f32>, i32
    %3 = arith.divf %0#1, %0#2 : f32
    tt.store %2, %3 : !tt.ptr<f32>
    tt.return
  }
}
