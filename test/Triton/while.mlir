// Tiles of a product taken by a loop of which nobody knows how often it runs: its number begins at that of the program
// and grows, so that no coordinate is negative.
// RUN: heddle run %s --device=sim --grid=2 --scalars=n=100,step=2 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=n=100,step=2 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<32x64xf16>: box of view 'x'
// EXPLAIN: size n, stride 1, at 64 * t, along dimension 1 of the tile
// A number that may become negative is none: the columns are read one by one.
// RUN: sed '/%next =/s/addi/subi/' %s > %t.mlir
// RUN: heddle explain %t.mlir 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: element by element of view 'x'
// NEGATIVE: no box: positions along the contiguous dimension are named by a tile
tt.func public @twice(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                      %n: i32, %step: i32) {
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c63 = arith.constant 63 : i32
  %pitch = arith.constant dense<128> : tensor<32x1xi32>
  %zero = arith.constant dense<0.0> : tensor<32x64xf16>
  %pid = tt.get_program_id x : i32
  %up = arith.addi %n, %c63 : i32
  %count = arith.divsi %up, %c64 : i32
  %l32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %l64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.expand_dims %l32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ro = arith.muli %r, %pitch : tensor<32x1xi32>
  %rb = tt.broadcast %ro : tensor<32x1xi32> -> tensor<32x64xi32>
  %last = scf.while (%t = %pid) : (i32) -> i32 {
    %more = arith.cmpi slt, %t, %count : i32
    scf.condition(%more) %t : i32
  } do {
  ^bb0(%t: i32):
    %begin = arith.muli %t, %c64 : i32
    %begins = tt.splat %begin : i32 -> tensor<64xi32>
    %at = arith.addi %begins, %l64 : tensor<64xi32>
    %c = tt.expand_dims %at {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<32x64xi32>
    %o = arith.addi %rb, %cb : tensor<32x64xi32>
    %limit = tt.splat %n : i32 -> tensor<1x64xi32>
    %in = arith.cmpi slt, %c, %limit : tensor<1x64xi32>
    %mask = tt.broadcast %in : tensor<1x64xi1> -> tensor<32x64xi1>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %xp = tt.addptr %xs, %o : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %v = tt.load %xp, %mask, %zero : tensor<32x64x!tt.ptr<f16>>
    %w = arith.extf %v : tensor<32x64xf16> to tensor<32x64xf32>
    %twice = arith.addf %w, %w : tensor<32x64xf32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %o : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    tt.store %yp, %twice, %mask : tensor<32x64x!tt.ptr<f32>>
    %next = arith.addi %t, %step : i32
    scf.yield %next : i32
  }
  tt.return
}
