// Sums of beginnings along the last of three dimensions.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_cum3(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %off = arith.constant dense<16> : tensor<1x16x1xi32>
    %off_0 = arith.constant dense<256> : tensor<8x1x1xi32>
    %off_1 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %off_2 = tt.expand_dims %off_1 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %off_3 = tt.expand_dims %off_2 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
    %off_4 = arith.muli %off_3, %off_0 : tensor<8x1x1xi32>
    %off_5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %off_6 = tt.expand_dims %off_5 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %off_7 = tt.expand_dims %off_6 {axis = 2 : i32} : tensor<1x16xi32> -> tensor<1x16x1xi32>
    %off_8 = arith.muli %off_7, %off : tensor<1x16x1xi32>
    %off_9 = tt.broadcast %off_4 : tensor<8x1x1xi32> -> tensor<8x16x1xi32>
    %off_10 = tt.broadcast %off_8 : tensor<1x16x1xi32> -> tensor<8x16x1xi32>
    %off_11 = arith.addi %off_9, %off_10 : tensor<8x16x1xi32>
    %off_12 = tt.expand_dims %off_6 {axis = 1 : i32} : tensor<1x16xi32> -> tensor<1x1x16xi32>
    %off_13 = tt.broadcast %off_11 : tensor<8x16x1xi32> -> tensor<8x16x16xi32>
    %off_14 = tt.broadcast %off_12 : tensor<1x1x16xi32> -> tensor<8x16x16xi32>
    %off_15 = arith.addi %off_13, %off_14 : tensor<8x16x16xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<8x16x16x!tt.ptr<f32>>
    %1 = tt.addptr %0, %off_15 : tensor<8x16x16x!tt.ptr<f32>>, tensor<8x16x16xi32>
    %2 = tt.splat %x : !tt.ptr<f32> -> tensor<8x16x16x!tt.ptr<f32>>
    %3 = tt.addptr %2, %off_15 : tensor<8x16x16x!tt.ptr<f32>>, tensor<8x16x16xi32>
    %4 = tt.load %3 : tensor<8x16x16x!tt.ptr<f32>>
    %5 = "tt.scan"(%4) <{axis = 2 : i32, reverse = false}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %6 = arith.addf %arg2, %arg3 : f32
      tt.scan.return %6 : f32
    }) : (tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
    tt.store %1, %5 : tensor<8x16x16x!tt.ptr<f32>>
    tt.return
  }
}
