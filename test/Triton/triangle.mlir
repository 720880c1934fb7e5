// A triangle packed row after row, unpacked: the place is a product of lanes, and the mask compares them.
// RUN: heddle run %s --device=sim --grid=1,1,1 --scalars=N=20 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 --scalars=N=20 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_tri(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %N: i32) {
    %cst = arith.constant dense<1.000000e+00> : tensor<32x32xf32>
    %cst_0 = arith.constant dense<32> : tensor<32x1xi32>
    %v = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
    %v_1 = arith.constant dense<2> : tensor<32x1xi32>
    %v_2 = arith.constant dense<1> : tensor<32x1xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %r_3 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %c = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %v_4 = tt.broadcast %c : tensor<1x32xi32> -> tensor<32x32xi32>
    %v_5 = tt.broadcast %r_3 : tensor<32x1xi32> -> tensor<32x32xi32>
    %v_6 = arith.cmpi sle, %v_4, %v_5 : tensor<32x32xi32>
    %v_7 = tt.splat %N : i32 -> tensor<32x1xi32>
    %v_8 = arith.cmpi slt, %r_3, %v_7 : tensor<32x1xi32>
    %v_9 = tt.broadcast %v_8 : tensor<32x1xi1> -> tensor<32x32xi1>
    %v_10 = arith.andi %v_6, %v_9 : tensor<32x32xi1>
    %v_11 = arith.addi %r_3, %v_2 : tensor<32x1xi32>
    %v_12 = arith.muli %r_3, %v_11 : tensor<32x1xi32>
    %v_13 = arith.divsi %v_12, %v_1 : tensor<32x1xi32>
    %v_14 = tt.splat %x : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %v_15 = tt.addptr %v_14, %v_13 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %v_16 = tt.broadcast %v_15 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x32x!tt.ptr<f32>>
    %v_17 = tt.addptr %v_16, %v_4 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %v_18 = tt.load %v_17, %v_10, %v : tensor<32x32x!tt.ptr<f32>>
    %0 = arith.muli %r_3, %cst_0 : tensor<32x1xi32>
    %1 = tt.splat %o : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %2 = tt.addptr %1, %0 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %3 = tt.broadcast %2 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x32x!tt.ptr<f32>>
    %4 = tt.addptr %3, %v_4 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %5 = arith.addf %v_18, %cst : tensor<32x32xf32>
    tt.store %4, %5, %v_10 : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
}
