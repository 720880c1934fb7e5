// Scalars of a row beside tiles of rank 2: the parts of attention over several programs, added up.
// RUN: heddle run %s --device=sim --grid=16 --scalars=S=5,H=16,sos=1024,soh=64 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @combine(%po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pl: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %S: i32, %H: i32, %sos: i32 {tt.divisibility = 16 : i32},
      %soh: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %x = arith.constant dense<0.000000e+00> : tensor<8x64xf32>
    %lse = arith.constant dense<0xFF800000> : tensor<8xf32>
    %h = tt.get_program_id x : i32
    %rs = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %rd = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %lse_0 = tt.splat %S : i32 -> tensor<8xi32>
    %lse_1 = arith.cmpi slt, %rs, %lse_0 : tensor<8xi32>
    %lse_2 = tt.splat %H : i32 -> tensor<8xi32>
    %lse_3 = arith.muli %rs, %lse_2 : tensor<8xi32>
    %lse_4 = tt.splat %pl : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %lse_5 = tt.addptr %lse_4, %lse_3 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %lse_6 = tt.splat %h : i32 -> tensor<8xi32>
    %lse_7 = tt.addptr %lse_5, %lse_6 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %lse_8 = tt.load %lse_7, %lse_1, %lse : tensor<8x!tt.ptr<f32>>
    %m = "tt.reduce"(%lse_8) <{axis = 0 : i32}> ({
    ^bb0(%m_30: f32, %m_31: f32):
      %m_32 = arith.maxnumf %m_30, %m_31 : f32
      tt.reduce.return %m_32 : f32
    }) : (tensor<8xf32>) -> f32
    %w = tt.splat %m : f32 -> tensor<8xf32>
    %w_9 = arith.subf %lse_8, %w : tensor<8xf32>
    %w_10 = math.exp2 %w_9 : tensor<8xf32>
    %w_11 = "tt.reduce"(%w_10) <{axis = 0 : i32}> ({
    ^bb0(%w_30: f32, %w_31: f32):
      %w_32 = arith.addf %w_30, %w_31 : f32
      tt.reduce.return %w_32 : f32
    }) : (tensor<8xf32>) -> f32
    %w_12 = tt.splat %w_11 : f32 -> tensor<8xf32>
    %w_13 = arith.divf %w_10, %w_12 : tensor<8xf32>
    %x_14 = tt.expand_dims %rs {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %x_15 = tt.splat %S : i32 -> tensor<8x1xi32>
    %x_16 = arith.cmpi slt, %x_14, %x_15 : tensor<8x1xi32>
    %x_17 = tt.splat %sos : i32 -> tensor<8x1xi32>
    %x_18 = arith.muli %x_14, %x_17 : tensor<8x1xi32>
    %x_19 = tt.splat %po : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
    %x_20 = tt.addptr %x_19, %x_18 : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
    %x_21 = arith.muli %h, %soh : i32
    %x_22 = tt.splat %x_21 : i32 -> tensor<8x1xi32>
    %x_23 = tt.addptr %x_20, %x_22 : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
    %x_24 = tt.expand_dims %rd {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_25 = tt.broadcast %x_23 : tensor<8x1x!tt.ptr<f32>> -> tensor<8x64x!tt.ptr<f32>>
    %x_26 = tt.broadcast %x_24 : tensor<1x64xi32> -> tensor<8x64xi32>
    %x_27 = tt.addptr %x_25, %x_26 : tensor<8x64x!tt.ptr<f32>>, tensor<8x64xi32>
    %x_28 = tt.broadcast %x_16 : tensor<8x1xi1> -> tensor<8x64xi1>
    %x_29 = tt.load %x_27, %x_28, %x : tensor<8x64x!tt.ptr<f32>>
    %0 = tt.addptr %o, %x_21 : !tt.ptr<f16>, i32
    %1 = tt.splat %0 : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
    %2 = tt.addptr %1, %rd : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %3 = tt.expand_dims %w_13 {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
    %4 = tt.broadcast %3 : tensor<8x1xf32> -> tensor<8x64xf32>
    %5 = arith.mulf %x_29, %4 : tensor<8x64xf32>
    %6 = "tt.reduce"(%5) <{axis = 0 : i32}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      %8 = arith.addf %arg7, %arg8 : f32
      tt.reduce.return %8 : f32
    }) : (tensor<8x64xf32>) -> tensor<64xf32>
    %7 = arith.truncf %6 : tensor<64xf32> to tensor<64xf16>
    tt.store %2, %7 : tensor<64x!tt.ptr<f16>>
    tt.return
  }
}
