// Rows before the first one are masked, as those behind the last: the view begins where the mask does, and coordinates
// before it are outside.
// RUN: heddle run %s --device=sim --grid=3 --scalars=rows=150,stride=64 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=rows=150,stride=64 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<64x64xf16>: box of view 'x'
// EXPLAIN-NEXT: dimension 0: size rows, stride stride, at 64 * program.x + i - 1, along dimension 0 of the tile
module {
  tt.func public @halo(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32, %stride: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c64 = arith.constant 64 : i32
    %c4096 = arith.constant 4096 : i32
    %one = arith.constant dense<1> : tensor<64xi32>
    %none = arith.constant dense<0> : tensor<64xi32>
    %pitch = arith.constant dense<64> : tensor<64x1xi32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %padding = arith.constant dense<0.0> : tensor<64x64xf16>
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c64 : i32
    %lane = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %firsts = tt.splat %first : i32 -> tensor<64xi32>
    %row = arith.addi %firsts, %lane : tensor<64xi32>
    %bound = tt.splat %rows : i32 -> tensor<64xi32>
    %column = tt.expand_dims %lane {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32>
    %l1 = tt.expand_dims %lane {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %wrow = arith.muli %l1, %pitch : tensor<64x1xi32>
    %wrows = tt.broadcast %wrow : tensor<64x1xi32> -> tensor<64x64xi32>
    %wat = arith.addi %wrows, %columns : tensor<64x64xi32>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>)  : i32 {
      %is = tt.splat %i : i32 -> tensor<64xi32>
      %p0 = arith.addi %row, %is : tensor<64xi32>
      %p = arith.subi %p0, %one : tensor<64xi32>
      %above = arith.cmpi sge, %p, %none : tensor<64xi32>
      %below = arith.cmpi slt, %p, %bound : tensor<64xi32>
      %inside = arith.andi %above, %below : tensor<64xi1>
      %inside1 = tt.expand_dims %inside {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
      %mask = tt.broadcast %inside1 : tensor<64x1xi1> -> tensor<64x64xi1>
      %p1 = tt.expand_dims %p {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %xrow = arith.muli %p1, %strides : tensor<64x1xi32>
      %xrows = tt.broadcast %xrow : tensor<64x1xi32> -> tensor<64x64xi32>
      %xat = arith.addi %xrows, %columns : tensor<64x64xi32>
      %xp = tt.addptr %xs, %xat : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %a = tt.load %xp, %mask, %padding : tensor<64x64x!tt.ptr<f16>>
      %skip = arith.muli %i, %c4096 : i32
      %wi = tt.addptr %w, %skip : !tt.ptr<f16>, i32
      %ws = tt.splat %wi : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
      %wp = tt.addptr %ws, %wat : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %b = tt.load %wp : tensor<64x64x!tt.ptr<f16>>
      %next = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %in = arith.cmpi slt, %row, %bound : tensor<64xi32>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %stored = tt.broadcast %in1 : tensor<64x1xi1> -> tensor<64x64xi1>
    %r1 = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %yrow = arith.muli %r1, %pitch : tensor<64x1xi32>
    %yrows = tt.broadcast %yrow : tensor<64x1xi32> -> tensor<64x64xi32>
    %yat = arith.addi %yrows, %columns : tensor<64x64xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %yat : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %yp, %sum, %stored : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
