// A branch that the sum of a tile decides.
// RUN: heddle run %s --device=sim --grid=6,1,1 --scalars=N=100 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=6,1,1 --scalars=N=100 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_ifs(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %N: i32) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<2.000000e+00> : tensor<128xf32>
    %v = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %v_1 = tt.splat %N : i32 -> tensor<128xi32>
    %v_2 = arith.cmpi slt, %i, %v_1 : tensor<128xi32>
    %v_3 = arith.muli %r, %N : i32
    %v_4 = tt.addptr %x, %v_3 : !tt.ptr<f32>, i32
    %v_5 = tt.splat %v_4 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %v_6 = tt.addptr %v_5, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v_7 = tt.load %v_6, %v_2, %v : tensor<128x!tt.ptr<f32>>
    %s = tt.reshape %v_7 allow_reorder : tensor<128xf32> -> tensor<128xf32>
    %s_8 = "tt.reduce"(%s) <{axis = 0 : i32}> ({
    ^bb0(%s_9: f32, %s_10: f32):
      %s_11 = arith.addf %s_9, %s_10 : f32
      tt.reduce.return %s_11 : f32
    }) : (tensor<128xf32>) -> f32
    %0 = arith.cmpf ogt, %s_8, %cst : f32
    %1 = scf.if %0 -> (tensor<128xf32>) {
      %v_9 = arith.mulf %v_7, %cst_0 : tensor<128xf32>
      scf.yield %v_9 : tensor<128xf32>
    } else {
      %v_9 = tt.splat %s_8 : f32 -> tensor<128xf32>
      %v_10 = arith.subf %v_7, %v_9 : tensor<128xf32>
      scf.yield %v_10 : tensor<128xf32>
    }
    %2 = tt.addptr %o, %v_3 : !tt.ptr<f32>, i32
    %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %4 = tt.addptr %3, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %4, %1, %v_2 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
