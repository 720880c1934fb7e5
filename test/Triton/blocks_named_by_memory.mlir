// Blocks of packed sequences as flash-linear-attention names them: sequence and block of a program are in memory, and a
// block pointer's mask has the lower bound 0 of the block, which is not negative. The sums are stored at distances of
// the grid's size.
// RUN: heddle run %s --device=sim --grid=4,3 --scalars=pitch=64 --input 'sequences=arange(0,0)' \
// RUN:   --input 'blocks=arange(0,1)' --input 'ends=arange(5,100)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<32x64xf32>: rows named by a tile of view 'x'
// EXPLAIN: store of tensor<32xf32>: {{.*}}box of view 'sums'
// EXPLAIN-NEXT: stride programs.y
// EXPLAIN-NOT: element by element
tt.func public @block_sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %sequences: !tt.ptr<i32>,
                           %blocks: !tt.ptr<i32>, %ends: !tt.ptr<i32>,
                           %sums: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                           %pitch: i32 {tt.divisibility = 16 : i32}) {
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0> : tensor<32xi32>
  %none = arith.constant dense<0.0> : tensor<32x64xf32>
  %p = tt.get_program_id x : i32
  %h = tt.get_program_id y : i32
  %heads = tt.get_num_programs y : i32
  %ps = tt.addptr %sequences, %p : !tt.ptr<i32>, i32
  %n = tt.load %ps : !tt.ptr<i32>
  %pb = tt.addptr %blocks, %p : !tt.ptr<i32>, i32
  %block = tt.load %pb : !tt.ptr<i32>
  %p0 = tt.addptr %ends, %n : !tt.ptr<i32>, i32
  %begin = tt.load %p0 : !tt.ptr<i32>
  %p1 = tt.addptr %p0, %c1 : !tt.ptr<i32>, i32
  %end = tt.load %p1 : !tt.ptr<i32>
  %length = arith.subi %end, %begin : i32
  %first = arith.muli %block, %c32 : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %lanes = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = arith.addi %firsts, %lanes : tensor<32xi32>
  %lengths = tt.splat %length : i32 -> tensor<32xi32>
  %below = arith.cmpi slt, %rows, %lengths : tensor<32xi32>
  %above = arith.cmpi sge, %rows, %zero : tensor<32xi32>
  %inside = arith.andi %below, %above : tensor<32xi1>
  %begins = tt.splat %begin : i32 -> tensor<32xi32>
  %at = arith.addi %begins, %rows : tensor<32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32xi32>
  %distance = arith.muli %at, %pitches : tensor<32xi32>
  %down = tt.expand_dims %distance {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %downs = tt.broadcast %down : tensor<32x1xi32> -> tensor<32x64xi32>
  %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %right = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rights = tt.broadcast %right : tensor<1x64xi32> -> tensor<32x64xi32>
  %offset = arith.addi %downs, %rights : tensor<32x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offset : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %m = tt.expand_dims %inside {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %mask = tt.broadcast %m : tensor<32x1xi1> -> tensor<32x64xi1>
  %tile = tt.load %xp, %mask, %none : tensor<32x64x!tt.ptr<f32>>
  %sum = "tt.reduce"(%tile) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x64xf32>) -> tensor<32xf32>
  %counts = tt.splat %heads : i32 -> tensor<32xi32>
  %o0 = arith.muli %at, %counts : tensor<32xi32>
  %hs = tt.splat %h : i32 -> tensor<32xi32>
  %o1 = arith.addi %o0, %hs : tensor<32xi32>
  %os = tt.splat %sums : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %op = tt.addptr %os, %o1 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %op, %sum, %inside : tensor<32x!tt.ptr<f32>>
  tt.return
}
