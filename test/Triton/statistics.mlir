// Rows of any length: mean and deviation of each, and the row without them. Tiles of rank 1 that become scalars.
// RUN: heddle run %s --device=sim --grid=3 --scalars=stride=304,n=300,eps=0.001 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=stride=304,n=300,eps=0.001 | FileCheck %s
// RUN: heddle run %s --device=sim --grid=3 --scalars=stride=304,n=300,eps=0.001 --input 'x=uniform(0,2)' \
// RUN:   --output means=%t.npy | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @statistics(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %gain: !tt.ptr<f32>, %means: !tt.ptr<f32>, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32,
      %eps: f32) attributes {noinline = false} {
    %zero = arith.constant dense<0.000000e+00> : tensor<256xf32>
    %none = arith.constant dense<0.000000e+00> : tensor<256xf16>
    %one = arith.constant 1.000000e+00 : f32
    %c0 = arith.constant 0 : i32
    %c256 = arith.constant 256 : i32
    %row = tt.get_program_id x : i32
    %begin = arith.muli %row, %stride : i32
    %xr = tt.addptr %x, %begin : !tt.ptr<f16>, i32
    %yr = tt.addptr %y, %begin : !tt.ptr<f16>, i32
    %lanes = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %ns = tt.splat %n : i32 -> tensor<256xi32>
    %sums:2 = scf.for %j = %c0 to %n step %c256 iter_args(%s = %zero, %q = %zero) -> (tensor<256xf32>,
        tensor<256xf32>)  : i32 {
      %js = tt.splat %j : i32 -> tensor<256xi32>
      %at = arith.addi %js, %lanes : tensor<256xi32>
      %in = arith.cmpi slt, %at, %ns : tensor<256xi32>
      %xs = tt.splat %xr : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %t = tt.load %p, %in, %none : tensor<256x!tt.ptr<f16>>
      %f = arith.extf %t : tensor<256xf16> to tensor<256xf32>
      %s1 = arith.addf %s, %f : tensor<256xf32>
      %ff = arith.mulf %f, %f : tensor<256xf32>
      %q1 = arith.addf %q, %ff : tensor<256xf32>
      scf.yield %s1, %q1 : tensor<256xf32>, tensor<256xf32>
    }
    %sum = "tt.reduce"(%sums#0) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<256xf32>) -> f32
    %squares = "tt.reduce"(%sums#1) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<256xf32>) -> f32
    %nf = arith.sitofp %n : i32 to f32
    %mean = arith.divf %sum, %nf : f32
    %more = arith.addf %squares, %eps : f32
    %root = math.sqrt %more : f32
    %scale = arith.divf %one, %root : f32
    %mp = tt.addptr %means, %row : !tt.ptr<f32>, i32
    tt.store %mp, %mean : !tt.ptr<f32>
    scf.for %j = %c0 to %n step %c256  : i32 {
      %js = tt.splat %j : i32 -> tensor<256xi32>
      %at = arith.addi %js, %lanes : tensor<256xi32>
      %in = arith.cmpi slt, %at, %ns : tensor<256xi32>
      %xs = tt.splat %xr : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %p = tt.addptr %xs, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      %t = tt.load %p, %in, %none : tensor<256x!tt.ptr<f16>>
      %gs = tt.splat %gain : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %gp = tt.addptr %gs, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %g = tt.load %gp, %in : tensor<256x!tt.ptr<f32>>
      %f = arith.extf %t : tensor<256xf16> to tensor<256xf32>
      %ms = tt.splat %mean : f32 -> tensor<256xf32>
      %d = arith.subf %f, %ms : tensor<256xf32>
      %ss = tt.splat %scale : f32 -> tensor<256xf32>
      %e = arith.mulf %d, %ss : tensor<256xf32>
      %eg = arith.mulf %e, %g : tensor<256xf32>
      %h = arith.truncf %eg : tensor<256xf32> to tensor<256xf16>
      %ys = tt.splat %yr : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
      %yp = tt.addptr %ys, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
      tt.store %yp, %h, %in : tensor<256x!tt.ptr<f16>>
    }
    tt.return
  }
}
