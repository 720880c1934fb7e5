// A tile turned round by tl.flip, as Triton lowers it: a hypercube, of which one bit after the other is exchanged.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_flip(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %off = arith.constant dense<64> : tensor<16x1xi32>
    %off_0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %off_1 = tt.expand_dims %off_0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %off_2 = arith.muli %off_1, %off : tensor<16x1xi32>
    %off_3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %off_4 = tt.expand_dims %off_3 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %off_5 = tt.broadcast %off_2 : tensor<16x1xi32> -> tensor<16x64xi32>
    %off_6 = tt.broadcast %off_4 : tensor<1x64xi32> -> tensor<16x64xi32>
    %off_7 = arith.addi %off_5, %off_6 : tensor<16x64xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %off_7 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %2 = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %off_7 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %4 = tt.load %3 : tensor<16x64x!tt.ptr<f32>>
    %y = tt.bitcast %4 : tensor<16x64xf32> -> tensor<16x64xi32>
    %y_8 = tt.reshape %y : tensor<16x64xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_9 = "tt.reduce"(%y_8) <{axis = 1 : i32}> ({
    ^bb0(%y_35: i32, %y_36: i32):
      %y_37 = arith.xori %y_35, %y_36 : i32
      tt.reduce.return %y_37 : i32
    }) : (tensor<16x2x2x2x2x2x2xi32>) -> tensor<16x2x2x2x2x2xi32>
    %y_10 = tt.expand_dims %y_9 {axis = 1 : i32} : tensor<16x2x2x2x2x2xi32> -> tensor<16x1x2x2x2x2x2xi32>
    %y_11 = tt.broadcast %y_10 : tensor<16x1x2x2x2x2x2xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_12 = arith.xori %y_8, %y_11 : tensor<16x2x2x2x2x2x2xi32>
    %y_13 = "tt.reduce"(%y_12) <{axis = 2 : i32}> ({
    ^bb0(%y_35: i32, %y_36: i32):
      %y_37 = arith.xori %y_35, %y_36 : i32
      tt.reduce.return %y_37 : i32
    }) : (tensor<16x2x2x2x2x2x2xi32>) -> tensor<16x2x2x2x2x2xi32>
    %y_14 = tt.expand_dims %y_13 {axis = 2 : i32} : tensor<16x2x2x2x2x2xi32> -> tensor<16x2x1x2x2x2x2xi32>
    %y_15 = tt.broadcast %y_14 : tensor<16x2x1x2x2x2x2xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_16 = arith.xori %y_12, %y_15 : tensor<16x2x2x2x2x2x2xi32>
    %y_17 = "tt.reduce"(%y_16) <{axis = 3 : i32}> ({
    ^bb0(%y_35: i32, %y_36: i32):
      %y_37 = arith.xori %y_35, %y_36 : i32
      tt.reduce.return %y_37 : i32
    }) : (tensor<16x2x2x2x2x2x2xi32>) -> tensor<16x2x2x2x2x2xi32>
    %y_18 = tt.expand_dims %y_17 {axis = 3 : i32} : tensor<16x2x2x2x2x2xi32> -> tensor<16x2x2x1x2x2x2xi32>
    %y_19 = tt.broadcast %y_18 : tensor<16x2x2x1x2x2x2xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_20 = arith.xori %y_16, %y_19 : tensor<16x2x2x2x2x2x2xi32>
    %y_21 = "tt.reduce"(%y_20) <{axis = 4 : i32}> ({
    ^bb0(%y_35: i32, %y_36: i32):
      %y_37 = arith.xori %y_35, %y_36 : i32
      tt.reduce.return %y_37 : i32
    }) : (tensor<16x2x2x2x2x2x2xi32>) -> tensor<16x2x2x2x2x2xi32>
    %y_22 = tt.expand_dims %y_21 {axis = 4 : i32} : tensor<16x2x2x2x2x2xi32> -> tensor<16x2x2x2x1x2x2xi32>
    %y_23 = tt.broadcast %y_22 : tensor<16x2x2x2x1x2x2xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_24 = arith.xori %y_20, %y_23 : tensor<16x2x2x2x2x2x2xi32>
    %y_25 = "tt.reduce"(%y_24) <{axis = 5 : i32}> ({
    ^bb0(%y_35: i32, %y_36: i32):
      %y_37 = arith.xori %y_35, %y_36 : i32
      tt.reduce.return %y_37 : i32
    }) : (tensor<16x2x2x2x2x2x2xi32>) -> tensor<16x2x2x2x2x2xi32>
    %y_26 = tt.expand_dims %y_25 {axis = 5 : i32} : tensor<16x2x2x2x2x2xi32> -> tensor<16x2x2x2x2x1x2xi32>
    %y_27 = tt.broadcast %y_26 : tensor<16x2x2x2x2x1x2xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_28 = arith.xori %y_24, %y_27 : tensor<16x2x2x2x2x2x2xi32>
    %y_29 = "tt.reduce"(%y_28) <{axis = 6 : i32}> ({
    ^bb0(%y_35: i32, %y_36: i32):
      %y_37 = arith.xori %y_35, %y_36 : i32
      tt.reduce.return %y_37 : i32
    }) : (tensor<16x2x2x2x2x2x2xi32>) -> tensor<16x2x2x2x2x2xi32>
    %y_30 = tt.expand_dims %y_29 {axis = 6 : i32} : tensor<16x2x2x2x2x2xi32> -> tensor<16x2x2x2x2x2x1xi32>
    %y_31 = tt.broadcast %y_30 : tensor<16x2x2x2x2x2x1xi32> -> tensor<16x2x2x2x2x2x2xi32>
    %y_32 = arith.xori %y_28, %y_31 : tensor<16x2x2x2x2x2x2xi32>
    %x_33 = tt.reshape %y_32 : tensor<16x2x2x2x2x2x2xi32> -> tensor<16x64xi32>
    %x_34 = tt.bitcast %x_33 : tensor<16x64xi32> -> tensor<16x64xf32>
    tt.store %1, %x_34 : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
