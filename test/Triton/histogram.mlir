// A histogram, masked, added to memory.
// RUN: heddle run %s --device=sim --grid=2,1,1 --scalars=N=1000 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,1,1 --scalars=N=1000 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_hist(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i32> {tt.divisibility = 16 :
        i32}, %N: i32) {
    %cst = arith.constant dense<true> : tensor<64xi1>
    %v = arith.constant dense<0> : tensor<512xi32>
    %c512_i32 = arith.constant 512 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c512_i32 : i32
    %i_1 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<512xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<512xi32>
    %v_4 = tt.splat %N : i32 -> tensor<512xi32>
    %v_5 = arith.cmpi slt, %i_3, %v_4 : tensor<512xi32>
    %v_6 = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
    %v_7 = tt.addptr %v_6, %i_3 : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
    %v_8 = tt.load %v_7, %v_5, %v : tensor<512x!tt.ptr<i32>>
    %h = tt.histogram %v_8, %v_5 : tensor<512xi32> -> tensor<64xi32>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %1 = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %3 = tt.atomic_rmw add, acq_rel, gpu, %2, %h, %cst : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) ->
          tensor<64xi32>
    tt.return
  }
}
