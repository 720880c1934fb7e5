// A loop that runs as often as the greatest of a tile says.
// RUN: heddle run %s --device=sim --grid=4,1,1 --scalars=N=50 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4,1,1 --scalars=N=50 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_fb(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %N: i32) {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 1.500000e+00 : f32
    %s = arith.constant 0.000000e+00 : f32
    %v = arith.constant dense<0> : tensor<64xi32>
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %v_0 = tt.splat %N : i32 -> tensor<64xi32>
    %v_1 = arith.cmpi slt, %i, %v_0 : tensor<64xi32>
    %v_2 = arith.muli %r, %N : i32
    %v_3 = tt.addptr %x, %v_2 : !tt.ptr<i32>, i32
    %v_4 = tt.splat %v_3 : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %v_5 = tt.addptr %v_4, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v_6 = tt.load %v_5, %v_1, %v : tensor<64x!tt.ptr<i32>>
    %m = "tt.reduce"(%v_6) <{axis = 0 : i32}> ({
    ^bb0(%m_8: i32, %m_9: i32):
      %m_10 = arith.maxsi %m_8, %m_9 : i32
      tt.reduce.return %m_10 : i32
    }) : (tensor<64xi32>) -> i32
    %s_7 = scf.for %k = %c0_i32 to %m step %c1_i32 iter_args(%s_8 = %s) -> (f32)  : i32 {
      %s_9 = arith.addf %s_8, %cst : f32
      scf.yield %s_9 : f32
    }
    %0 = tt.addptr %o, %r : !tt.ptr<f32>, i32
    tt.store %0, %s_7 : !tt.ptr<f32>
    tt.return
  }
}
