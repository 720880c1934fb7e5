// Sequences whose ends are in memory: K^T * V of each. The kernel makes the views before its loop, where it knows the
// sizes, so that the copy engine loads the tiles; a pitch of which nothing is known leaves rows that are listed.
// RUN: heddle run %s --device=sim --grid=3 --scalars=pitch=128 --input 'ends=arange(3,75)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=pitch=128 --input 'ends=arange(3,75)' \
// RUN:   | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<64x64xf16>: box of a window of 'keys'
// EXPLAIN-NEXT: made by the kernel, which knows its sizes: from element {{.*}} on
// EXPLAIN-NEXT: dimension 0: size {{.*}}, stride pitch, at {{[^,]*}}, along dimension 1 of the tile
// EXPLAIN: load of tensor<64x64xf16>: box of a window of 'values'
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA-DAG: hd::tmaLoad({{.*}}, maps[0]
// CUDA-DAG: hd::tmaLoad({{.*}}, maps[1]
// RUN: heddle compile %s -o %t && FileCheck %s --check-prefix=LAUNCH < %t/launch.json
// LAUNCH: "name": "keys"
// LAUNCH: "window": true
// RUN: sed 's/%%pitch: i32 {.*}/%%pitch: i32/' %s > %t.mlir
// RUN: heddle explain %t.mlir | FileCheck %s --check-prefix=LISTED
// LISTED: rows named by a tile of view 'keys'
// LISTED: rows named by a tile of view 'values'
tt.func public @states(%keys: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                       %values: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %ends: !tt.ptr<i32>,
                       %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pitch: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %c4096 = arith.constant 4096 : i32
  %columns = arith.constant dense<64> : tensor<64x1xi32>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sequence = tt.get_program_id x : i32
  %p0 = tt.addptr %ends, %sequence : !tt.ptr<i32>, i32
  %begin = tt.load %p0 : !tt.ptr<i32>
  %p1 = tt.addptr %p0, %c1 : !tt.ptr<i32>, i32
  %end = tt.load %p1 : !tt.ptr<i32>
  %length = arith.subi %end, %begin : i32
  %filled = arith.addi %length, %c63 : i32
  %blocks = arith.divsi %filled, %c64 : i32
  %lanes = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %down = tt.expand_dims %lanes {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %right = tt.expand_dims %lanes {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %state = scf.for %j = %c0 to %blocks step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %j, %c64 : i32
    %firsts = tt.splat %first : i32 -> tensor<64xi32>
    %rows = arith.addi %firsts, %lanes : tensor<64xi32>
    %lengths = tt.splat %length : i32 -> tensor<64xi32>
    %inside = arith.cmpi slt, %rows, %lengths : tensor<64xi32>
    %begins = tt.splat %begin : i32 -> tensor<64xi32>
    %at = arith.addi %begins, %rows : tensor<64xi32>
    %pitches = tt.splat %pitch : i32 -> tensor<64xi32>
    %distance = arith.muli %at, %pitches : tensor<64xi32>
    // the keys, transposed
    %kr = tt.expand_dims %distance {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %kb = tt.broadcast %kr : tensor<1x64xi32> -> tensor<64x64xi32>
    %kd = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
    %ko = arith.addi %kb, %kd : tensor<64x64xi32>
    %ks = tt.splat %keys : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %kp = tt.addptr %ks, %ko : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %km = tt.expand_dims %inside {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %kmask = tt.broadcast %km : tensor<1x64xi1> -> tensor<64x64xi1>
    %k = tt.load %kp, %kmask, %none : tensor<64x64x!tt.ptr<f16>>
    // the values
    %vr = tt.expand_dims %distance {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %vb = tt.broadcast %vr : tensor<64x1xi32> -> tensor<64x64xi32>
    %vd = tt.broadcast %right : tensor<1x64xi32> -> tensor<64x64xi32>
    %vo = arith.addi %vb, %vd : tensor<64x64xi32>
    %vs = tt.splat %values : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
    %vp = tt.addptr %vs, %vo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %vm = tt.expand_dims %inside {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %vmask = tt.broadcast %vm : tensor<64x1xi1> -> tensor<64x64xi1>
    %v = tt.load %vp, %vmask, %none : tensor<64x64x!tt.ptr<f16>>
    %more = tt.dot %k, %v, %sum : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %more : tensor<64x64xf32>
  }
  %o0 = arith.muli %sequence, %c4096 : i32
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %od = arith.muli %down, %columns : tensor<64x1xi32>
  %or = tt.broadcast %od : tensor<64x1xi32> -> tensor<64x64xi32>
  %oc = tt.broadcast %right : tensor<1x64xi32> -> tensor<64x64xi32>
  %ob = tt.splat %o0 : i32 -> tensor<64x64xi32>
  %o1 = arith.addi %or, %oc : tensor<64x64xi32>
  %oo = arith.addi %o1, %ob : tensor<64x64xi32>
  %op = tt.addptr %os, %oo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %op, %state : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
