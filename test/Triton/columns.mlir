// Two columns of one tensor, with a barrier between them, which means nothing to a program.
// RUN: heddle run %s --device=sim --grid=2 --scalars=T=50 \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=T=50 \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @columns(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %T: i32) attributes {noinline = false} {
    %cst = arith.constant dense<2> : tensor<32xi32>
    %cst_0 = arith.constant dense<3> : tensor<32xi32>
    %x = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
    %x_1 = arith.constant dense<64> : tensor<32x1xi32>
    %c32_i32 = arith.constant 32 : i32
    %t = tt.get_program_id x : i32
    %t_2 = arith.muli %t, %c32_i32 : i32
    %t_3 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %t_4 = tt.splat %t_2 : i32 -> tensor<32xi32>
    %t_5 = arith.addi %t_4, %t_3 : tensor<32xi32>
    %e = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = tt.splat %T : i32 -> tensor<32xi32>
    %m_6 = arith.cmpi slt, %t_5, %m : tensor<32xi32>
    %x_7 = tt.expand_dims %m_6 {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
    %x_8 = tt.expand_dims %t_5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %x_9 = arith.muli %x_8, %x_1 : tensor<32x1xi32>
    %x_10 = tt.splat %X : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %x_11 = tt.addptr %x_10, %x_9 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %x_12 = tt.expand_dims %e {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_13 = tt.broadcast %x_11 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x64x!tt.ptr<f32>>
    %x_14 = tt.broadcast %x_12 : tensor<1x64xi32> -> tensor<32x64xi32>
    %x_15 = tt.addptr %x_13, %x_14 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %x_16 = tt.broadcast %x_7 : tensor<32x1xi1> -> tensor<32x64xi1>
    %x_17 = tt.load %x_15, %x_16, %x : tensor<32x64x!tt.ptr<f32>>
    %0 = arith.muli %t_5, %cst_0 : tensor<32xi32>
    %1 = tt.splat %O : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %2 = tt.addptr %1, %0 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %3 = "tt.reduce"(%x_17) <{axis = 1 : i32}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %6 = arith.maxnumf %arg3, %arg4 : f32
      tt.reduce.return %6 : f32
    }) : (tensor<32x64xf32>) -> tensor<32xf32>
    tt.store %2, %3, %m_6 : tensor<32x!tt.ptr<f32>>
    gpu.barrier
    ttg.barrier local|global_read
    %4 = tt.addptr %2, %cst : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %5 = "tt.reduce"(%x_17) <{axis = 1 : i32}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %6 = arith.addf %arg3, %arg4 : f32
      tt.reduce.return %6 : f32
    }) : (tensor<32x64xf32>) -> tensor<32xf32>
    tt.store %4, %5, %m_6 : tensor<32x!tt.ptr<f32>>
    tt.return
  }
}
