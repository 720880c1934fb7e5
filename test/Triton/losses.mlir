// A loss of each row: statistics that a loop carries as scalars, and an element that memory names.
// RUN: heddle run %s --device=sim --grid=3 --scalars=stride=1024,V=1000 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=stride=1024,V=1000 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @xent(%logits: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
      %labels: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %loss: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %stride: i32 {tt.divisibility = 16 : i32}, %V: i32) attributes {noinline = false} {
    %cst = arith.constant dense<0xFF80> : tensor<256xbf16>
    %c256_i32 = arith.constant 256 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %0 = tt.get_program_id x : i32
    %1 = arith.extsi %0 : i32 to i64
    %2 = tt.addptr %labels, %1 : !tt.ptr<i64>, i64
    %3 = tt.load %2 : !tt.ptr<i64>
    %4 = arith.extsi %stride : i32 to i64
    %5 = arith.muli %1, %4 : i64
    %6 = tt.addptr %logits, %5 : !tt.ptr<bf16>, i64
    %7:2 = scf.for %i0 = %c0_i32 to %V step %c256_i32 iter_args(%i1 = %cst_1, %i2 = %cst_0) -> (f32, f32)  : i32 {
      %16 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
      %17 = tt.splat %i0 : i32 -> tensor<256xi32>
      %18 = arith.addi %17, %16 : tensor<256xi32>
      %19 = tt.splat %V : i32 -> tensor<256xi32>
      %20 = arith.cmpi slt, %18, %19 : tensor<256xi32>
      %21 = tt.splat %6 : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
      %22 = tt.addptr %21, %18 : tensor<256x!tt.ptr<bf16>>, tensor<256xi32>
      %23 = tt.load %22, %20, %cst : tensor<256x!tt.ptr<bf16>>
      %24 = arith.extf %23 : tensor<256xbf16> to tensor<256xf32>
      %25 = tt.reshape %24 allow_reorder : tensor<256xf32> -> tensor<256xf32>
      %26 = "tt.reduce"(%25) <{axis = 0 : i32}> ({
      ^bb0(%i3: f32, %i4: f32):
        %37 = arith.maxnumf %i3, %i4 : f32
        tt.reduce.return %37 : f32
      }) : (tensor<256xf32>) -> f32
      %27 = arith.maxnumf %i1, %26 : f32
      %28 = arith.subf %i1, %27 : f32
      %29 = math.exp %28 : f32
      %30 = arith.mulf %i2, %29 : f32
      %31 = tt.splat %27 : f32 -> tensor<256xf32>
      %32 = arith.subf %24, %31 : tensor<256xf32>
      %33 = math.exp %32 : tensor<256xf32>
      %34 = tt.reshape %33 allow_reorder : tensor<256xf32> -> tensor<256xf32>
      %35 = "tt.reduce"(%34) <{axis = 0 : i32}> ({
      ^bb0(%i3: f32, %i4: f32):
        %37 = arith.addf %i3, %i4 : f32
        tt.reduce.return %37 : f32
      }) : (tensor<256xf32>) -> f32
      %36 = arith.addf %30, %35 : f32
      scf.yield %27, %36 : f32, f32
    }
    %8 = arith.addi %5, %3 : i64
    %9 = tt.addptr %logits, %8 : !tt.ptr<bf16>, i64
    %10 = tt.load %9 : !tt.ptr<bf16>
    %11 = arith.extf %10 : bf16 to f32
    %12 = tt.addptr %loss, %1 : !tt.ptr<f32>, i64
    %13 = math.log %7#1 : f32
    %14 = arith.addf %7#0, %13 : f32
    %15 = arith.subf %14, %11 : f32
    tt.store %12, %15 : !tt.ptr<f32>
    tt.return
  }
}
