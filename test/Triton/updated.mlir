// Numbers that are read and written again in place.
// RUN: heddle run %s --device=sim --grid=5 --scalars=n=5,d=0.9 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @ema(%s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %n: i32, %d: f32) attributes {noinline = false} {
    %cst = arith.constant 1.000000e+00 : f32
    %p = tt.get_program_id x : i32
    %v = tt.addptr %s, %p : !tt.ptr<f32>, i32
    %v_0 = tt.load %v : !tt.ptr<f32>
    %0 = arith.mulf %v_0, %d : f32
    %1 = tt.addptr %x, %p : !tt.ptr<f32>, i32
    %2 = tt.load %1 : !tt.ptr<f32>
    %3 = arith.subf %cst, %d : f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.addf %0, %4 : f32
    tt.store %v, %5 : !tt.ptr<f32>
    tt.return
  }
}
