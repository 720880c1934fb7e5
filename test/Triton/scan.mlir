// Sums of beginnings and of ends in chunks, as gates of linear attention have them: of a vector, and down the columns
// of a tile.
// RUN: heddle run %s --device=sim --grid=3 --scalars=T=150 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=T=150 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @chunk_sums(%g: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %T: i32) {
    %c64 = arith.constant 64 : i32
    %wide = arith.constant dense<32> : tensor<64x1xi32>
    %none = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %nothing = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c64 : i32
    %lanes = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %firsts = tt.splat %first : i32 -> tensor<64xi32>
    %at = arith.addi %firsts, %lanes : tensor<64xi32>
    %end = tt.splat %T : i32 -> tensor<64xi32>
    %in = arith.cmpi slt, %at, %end : tensor<64xi32>
    %gs = tt.splat %g : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %gp = tt.addptr %gs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %gates = tt.load %gp, %in, %none : tensor<64x!tt.ptr<f32>>
    %sums = "tt.scan"(%gates) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %op = tt.addptr %os, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %op, %sums, %in : tensor<64x!tt.ptr<f32>>
    %rows = tt.expand_dims %at {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %begin = arith.muli %rows, %wide : tensor<64x1xi32>
    %columns = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %cs = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %b2 = tt.broadcast %begin : tensor<64x1xi32> -> tensor<64x32xi32>
    %c2 = tt.broadcast %cs : tensor<1x32xi32> -> tensor<64x32xi32>
    %offsets = arith.addi %b2, %c2 : tensor<64x32xi32>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %in2 = tt.broadcast %in1 : tensor<64x1xi1> -> tensor<64x32xi1>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %tile = tt.load %xp, %in2, %nothing : tensor<64x32x!tt.ptr<f32>>
    %ends = "tt.scan"(%tile) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    tt.store %yp, %ends, %in2 : tensor<64x32x!tt.ptr<f32>>
    tt.return
  }
}
