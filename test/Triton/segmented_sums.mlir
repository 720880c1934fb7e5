// Sums of beginnings that start again where a flag is set: a scan of two operands, of which one is a whole number.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=N=100 --input 'f=integers(0,1)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=N=100 --input 'f=integers(0,1)' | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_seg(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %f: !tt.ptr<i32> {tt.divisibility = 16 : i32},
        %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %c0_i32 = arith.constant 0 : i32
    %g = arith.constant dense<0> : tensor<128xi32>
    %v = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %v_0 = tt.splat %N : i32 -> tensor<128xi32>
    %v_1 = arith.cmpi slt, %i, %v_0 : tensor<128xi32>
    %v_2 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %v_3 = tt.addptr %v_2, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v_4 = tt.load %v_3, %v_1, %v : tensor<128x!tt.ptr<f32>>
    %g_5 = tt.splat %f : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %g_6 = tt.addptr %g_5, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %g_7 = tt.load %g_6, %v_1, %g : tensor<128x!tt.ptr<i32>>
    %0:2 = "tt.scan"(%v_4, %g_7) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%arg4: f32, %arg5: i32, %arg6: f32, %arg7: i32):
      %3 = arith.cmpi sgt, %arg7, %c0_i32 : i32
      %4 = arith.addf %arg4, %arg6 : f32
      %5 = arith.select %3, %arg6, %4 : f32
      %6 = arith.maxsi %arg5, %arg7 : i32
      tt.scan.return %5, %6 : f32, i32
    }) : (tensor<128xf32>, tensor<128xi32>) -> (tensor<128xf32>, tensor<128xi32>)
    %1 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %2 = tt.addptr %1, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %2, %0#0, %v_1 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
