// Rows of a batch up to a length from memory: a gather, since no size of a view can be that length.
// RUN: heddle run %s --device=sim --grid=3 --scalars=sb=4096,sx=64,so=4096,n=64 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @ragged(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %lens: !tt.ptr<i32> {tt.divisibility = 16
      : i32}, %w: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %sb: i32 {tt.divisibility = 16 : i32}, %sx: i32 {tt.divisibility = 16 : i32}, %so: i32 {tt.divisibility = 16
      : i32}, %n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<64> : tensor<64x1xi32>
    %0 = tt.get_program_id x : i32
    %1 = tt.addptr %lens, %0 : !tt.ptr<i32>, i32
    %2 = tt.load %1 : !tt.ptr<i32>
    %3 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %4 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %5 = scf.for %i0 = %c0_i32 to %2 step %c32_i32 iter_args(%i1 = %cst) -> (tensor<64x64xf32>)  : i32 {
      %16 = tt.splat %i0 : i32 -> tensor<32xi32>
      %17 = arith.addi %16, %3 : tensor<32xi32>
      %18 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %19 = tt.splat %n : i32 -> tensor<64x1xi32>
      %20 = arith.muli %18, %19 : tensor<64x1xi32>
      %21 = tt.splat %w : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %22 = tt.addptr %21, %20 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %23 = tt.expand_dims %17 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %24 = tt.broadcast %22 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %25 = tt.broadcast %23 : tensor<1x32xi32> -> tensor<64x32xi32>
      %26 = tt.addptr %24, %25 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %27 = tt.load %26 : tensor<64x32x!tt.ptr<f16>>
      %28 = tt.expand_dims %17 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %29 = tt.splat %2 : i32 -> tensor<32x1xi32>
      %30 = arith.cmpi slt, %28, %29 : tensor<32x1xi32>
      %31 = arith.muli %0, %sb : i32
      %32 = tt.addptr %x, %31 : !tt.ptr<f16>, i32
      %33 = tt.splat %sx : i32 -> tensor<32x1xi32>
      %34 = arith.muli %28, %33 : tensor<32x1xi32>
      %35 = tt.splat %32 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %36 = tt.addptr %35, %34 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %37 = tt.expand_dims %4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %38 = tt.broadcast %36 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
      %39 = tt.broadcast %37 : tensor<1x64xi32> -> tensor<32x64xi32>
      %40 = tt.addptr %38, %39 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %41 = tt.broadcast %30 : tensor<32x1xi1> -> tensor<32x64xi1>
      %42 = tt.load %40, %41, %cst_0 : tensor<32x64x!tt.ptr<f16>>
      %43 = tt.dot %27, %42, %i1, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %43 : tensor<64x64xf32>
    }
    %6 = arith.muli %0, %so : i32
    %7 = tt.addptr %o, %6 : !tt.ptr<f32>, i32
    %8 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %9 = arith.muli %8, %cst_1 : tensor<64x1xi32>
    %10 = tt.splat %7 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %11 = tt.addptr %10, %9 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %12 = tt.expand_dims %4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %13 = tt.broadcast %11 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %14 = tt.broadcast %12 : tensor<1x64xi32> -> tensor<64x64xi32>
    %15 = tt.addptr %13, %14 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %15, %5 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
