// tl.gather of rows by numbers from memory.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_gath(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %j: !tt.ptr<i32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %io = arith.constant dense<32> : tensor<8x1xi32>
    %off = arith.constant dense<32> : tensor<16x1xi32>
    %off_0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %off_1 = tt.expand_dims %off_0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %off_2 = arith.muli %off_1, %off : tensor<16x1xi32>
    %off_3 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %off_4 = tt.expand_dims %off_3 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %off_5 = tt.broadcast %off_2 : tensor<16x1xi32> -> tensor<16x32xi32>
    %off_6 = tt.broadcast %off_4 : tensor<1x32xi32> -> tensor<16x32xi32>
    %off_7 = arith.addi %off_5, %off_6 : tensor<16x32xi32>
    %v = tt.splat %x : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
    %v_8 = tt.addptr %v, %off_7 : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %v_9 = tt.load %v_8 : tensor<16x32x!tt.ptr<f32>>
    %io_10 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %io_11 = tt.expand_dims %io_10 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %io_12 = arith.muli %io_11, %io : tensor<8x1xi32>
    %io_13 = tt.broadcast %io_12 : tensor<8x1xi32> -> tensor<8x32xi32>
    %io_14 = tt.broadcast %off_4 : tensor<1x32xi32> -> tensor<8x32xi32>
    %io_15 = arith.addi %io_13, %io_14 : tensor<8x32xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
    %1 = tt.addptr %0, %io_15 : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
    %2 = tt.splat %j : !tt.ptr<i32> -> tensor<8x32x!tt.ptr<i32>>
    %3 = tt.addptr %2, %io_15 : tensor<8x32x!tt.ptr<i32>>, tensor<8x32xi32>
    %4 = tt.load %3 : tensor<8x32x!tt.ptr<i32>>
    %5 = tt.gather %v_9[%4] {axis = 0 : i32} : (tensor<16x32xf32>, tensor<8x32xi32>) -> tensor<8x32xf32>
    tt.store %1, %5 : tensor<8x32x!tt.ptr<f32>>
    tt.return
  }
}
