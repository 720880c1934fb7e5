// A linear recurrence down the columns of a tile: a scan of two operands, h' = a h + x.
// RUN: heddle run %s --device=sim --grid=3,1,1 --scalars=T=50,C=40 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3,1,1 --scalars=T=50,C=40 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_rec(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %T: i32, %C: i32) {
    %xv = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
    %av = arith.constant dense<1.000000e+00> : tensor<64x16xf32>
    %c16_i32 = arith.constant 16 : i32
    %c = tt.get_program_id x : i32
    %c_0 = arith.muli %c, %c16_i32 : i32
    %c_1 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %c_2 = tt.splat %c_0 : i32 -> tensor<16xi32>
    %c_3 = arith.addi %c_2, %c_1 : tensor<16xi32>
    %t = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %off = tt.expand_dims %t {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %off_4 = tt.splat %C : i32 -> tensor<64x1xi32>
    %off_5 = arith.muli %off, %off_4 : tensor<64x1xi32>
    %off_6 = tt.expand_dims %c_3 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %off_7 = tt.broadcast %off_5 : tensor<64x1xi32> -> tensor<64x16xi32>
    %off_8 = tt.broadcast %off_6 : tensor<1x16xi32> -> tensor<64x16xi32>
    %off_9 = arith.addi %off_7, %off_8 : tensor<64x16xi32>
    %m = tt.splat %T : i32 -> tensor<64x1xi32>
    %m_10 = arith.cmpi slt, %off, %m : tensor<64x1xi32>
    %m_11 = tt.splat %C : i32 -> tensor<1x16xi32>
    %m_12 = arith.cmpi slt, %off_6, %m_11 : tensor<1x16xi32>
    %m_13 = tt.broadcast %m_10 : tensor<64x1xi1> -> tensor<64x16xi1>
    %m_14 = tt.broadcast %m_12 : tensor<1x16xi1> -> tensor<64x16xi1>
    %m_15 = arith.andi %m_13, %m_14 : tensor<64x16xi1>
    %av_16 = tt.splat %a : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
    %av_17 = tt.addptr %av_16, %off_9 : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
    %av_18 = tt.load %av_17, %m_15, %av : tensor<64x16x!tt.ptr<f32>>
    %xv_19 = tt.splat %x : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
    %xv_20 = tt.addptr %xv_19, %off_9 : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
    %xv_21 = tt.load %xv_20, %m_15, %xv : tensor<64x16x!tt.ptr<f32>>
    %0:2 = "tt.scan"(%av_18, %xv_21) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32):
      %3 = arith.mulf %arg5, %arg7 : f32
      %4 = arith.mulf %arg6, %arg7 : f32
      %5 = arith.addf %4, %arg8 : f32
      tt.scan.return %3, %5 : f32, f32
    }) : (tensor<64x16xf32>, tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>)
    %1 = tt.splat %o : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
    %2 = tt.addptr %1, %off_9 : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
    tt.store %2, %0#1, %m_15 : tensor<64x16x!tt.ptr<f32>>
    tt.return
  }
}
