// How often each number occurs: integers that programs add to memory.
// RUN: heddle run %s --device=sim --grid=3 --scalars=n=300 \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=n=300 \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @counts(%X: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %H: !tt.ptr<i32> {tt.divisibility = 16
      : i32}, %n: i32) attributes {noinline = false} {
    %cst = arith.constant dense<true> : tensor<16xi1>
    %x = arith.constant dense<-1> : tensor<128xi32>
    %c128_i32 = arith.constant 128 : i32
    %c = tt.get_program_id x : i32
    %c_0 = arith.muli %c, %c128_i32 : i32
    %c_1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %c_2 = tt.splat %c_0 : i32 -> tensor<128xi32>
    %c_3 = arith.addi %c_2, %c_1 : tensor<128xi32>
    %bins = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %x_4 = tt.splat %n : i32 -> tensor<128xi32>
    %x_5 = arith.cmpi slt, %c_3, %x_4 : tensor<128xi32>
    %x_6 = tt.splat %X : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %x_7 = tt.addptr %x_6, %c_3 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %x_8 = tt.load %x_7, %x_5, %x : tensor<128x!tt.ptr<i32>>
    %0 = tt.splat %H : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %1 = tt.addptr %0, %bins : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    %2 = tt.expand_dims %x_8 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %3 = tt.expand_dims %bins {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %4 = tt.broadcast %2 : tensor<128x1xi32> -> tensor<128x16xi32>
    %5 = tt.broadcast %3 : tensor<1x16xi32> -> tensor<128x16xi32>
    %6 = arith.cmpi eq, %4, %5 : tensor<128x16xi32>
    %7 = arith.extui %6 : tensor<128x16xi1> to tensor<128x16xi32>
    %8 = "tt.reduce"(%7) <{axis = 0 : i32}> ({
    ^bb0(%arg3: i32, %arg4: i32):
      %10 = arith.addi %arg3, %arg4 : i32
      tt.reduce.return %10 : i32
    }) : (tensor<128x16xi32>) -> tensor<16xi32>
    %9 = tt.atomic_rmw add, acq_rel, gpu, %1, %8, %cst : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>,
        tensor<16xi1>) -> tensor<16xi32>
    tt.return
  }
}
