// Rows that a table names, and a guard: programs beyond a length from memory return early. Rows beyond the table's end
// are masked; what is loaded for them is 2.
// RUN: heddle run %s --device=sim --grid=20 --scalars=tokens=40,columns=64,stride=64 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=20 --scalars=tokens=40,columns=64,stride=64 \
// RUN:   | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of i32: scalar of view 'length'
// EXPLAIN: load of tensor<32xi32>: box of view 'ids'
// EXPLAIN: load of tensor<32x64xf16>: rows named by a tile of view 'table'
// EXPLAIN: size unbounded, stride stride, at idx(lane0)
module {
  tt.func public @embed(%table: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %ids: !tt.ptr<i32> {tt.divisibility = 16
      : i32}, %length: !tt.ptr<i32>, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tokens: i32, %columns: i32,
      %stride: i32 {tt.divisibility = 16 : i32}) {
    %two = arith.constant dense<2.000000e+00> : tensor<32x64xf16>
    %c0 = arith.constant dense<0> : tensor<32xi32>
    %c32 = arith.constant 32 : i32
    %pid = tt.get_program_id x : i32
    %n = tt.load %length : !tt.ptr<i32>
    %over = arith.cmpi sge, %pid, %n : i32
    cf.cond_br %over, ^bb1, ^bb2
  ^bb1:
    tt.return
  ^bb2:
    %begin = arith.muli %pid, %c32 : i32
    %lanes = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %begins = tt.splat %begin : i32 -> tensor<32xi32>
    %at = arith.addi %begins, %lanes : tensor<32xi32>
    %tokenss = tt.splat %tokens : i32 -> tensor<32xi32>
    %in = arith.cmpi slt, %at, %tokenss : tensor<32xi32>
    %idss = tt.splat %ids : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %idp = tt.addptr %idss, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %idx = tt.load %idp, %in, %c0 : tensor<32x!tt.ptr<i32>>
    %l64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tt.expand_dims %idx {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
    %offsets = arith.muli %rows, %strides : tensor<32x1xi32>
    %cols = tt.expand_dims %l64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %o2 = tt.broadcast %offsets : tensor<32x1xi32> -> tensor<32x64xi32>
    %c2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
    %off = arith.addi %o2, %c2 : tensor<32x64xi32>
    %ts = tt.splat %table : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %tp = tt.addptr %ts, %off : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %inr = tt.expand_dims %in {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
    %columnss = tt.splat %columns : i32 -> tensor<1x64xi32>
    %inc = arith.cmpi slt, %cols, %columnss : tensor<1x64xi32>
    %inr2 = tt.broadcast %inr : tensor<32x1xi1> -> tensor<32x64xi1>
    %inc2 = tt.broadcast %inc : tensor<1x64xi1> -> tensor<32x64xi1>
    %mask = arith.andi %inr2, %inc2 : tensor<32x64xi1>
    %e = tt.load %tp, %mask, %two : tensor<32x64x!tt.ptr<f16>>
    %f = arith.extf %e : tensor<32x64xf16> to tensor<32x64xf32>
    %sum = "tt.reduce"(%f) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x64xf32>) -> tensor<32xf32>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %op = tt.addptr %outs, %at : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    tt.store %op, %sum : tensor<32x!tt.ptr<f32>>
    tt.return
  }
}
