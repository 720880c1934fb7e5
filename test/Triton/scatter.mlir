// Rows of a tile go where a table names, as in a mixture of experts: lanes beyond the number of tokens and columns
// beyond the width are masked. The same rows are added to a second tensor.
// RUN: heddle run %s --device=sim --grid=3 --scalars=tokens=83,columns=40,stride=48 '--input=ids=arange(0, 2)' \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=tokens=83,columns=40,stride=48 \
// RUN:   '--input=ids=arange(0, 2)' | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: store of tensor<32x64xf16>: rows named by a tile of view 'out'
// EXPLAIN: size unbounded, stride stride, at id(lane0), along dimension 0 of the tile
// EXPLAIN: store of tensor<32x64xf32>: rows named by a tile of view 'sums'
module {
  tt.func public @scatter(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %ids: !tt.ptr<i32> {tt.divisibility = 16
      : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sums: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %tokens: i32, %columns: i32, %stride: i32 {tt.divisibility = 16 : i32}) {
    %half = arith.constant dense<5.000000e-01> : tensor<32x64xf16>
    %c32 = arith.constant 32 : i32
    %pid = tt.get_program_id x : i32
    %begin = arith.muli %pid, %c32 : i32
    %lanes = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %begins = tt.splat %begin : i32 -> tensor<32xi32>
    %at = arith.addi %begins, %lanes : tensor<32xi32>
    %tokenss = tt.splat %tokens : i32 -> tensor<32xi32>
    %in = arith.cmpi slt, %at, %tokenss : tensor<32xi32>
    %idss = tt.splat %ids : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %idp = tt.addptr %idss, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %id = tt.load %idp, %in : tensor<32x!tt.ptr<i32>>
    %l64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %cols = tt.expand_dims %l64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %c2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
    %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
    %inr = tt.expand_dims %in {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
    %columnss = tt.splat %columns : i32 -> tensor<1x64xi32>
    %inc = arith.cmpi slt, %cols, %columnss : tensor<1x64xi32>
    %inr2 = tt.broadcast %inr : tensor<32x1xi1> -> tensor<32x64xi1>
    %inc2 = tt.broadcast %inc : tensor<1x64xi1> -> tensor<32x64xi1>
    %mask = arith.andi %inr2, %inc2 : tensor<32x64xi1>

    %rows = tt.expand_dims %at {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %from = arith.muli %rows, %strides : tensor<32x1xi32>
    %from2 = tt.broadcast %from : tensor<32x1xi32> -> tensor<32x64xi32>
    %source = arith.addi %from2, %c2 : tensor<32x64xi32>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %xp = tt.addptr %xs, %source : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %value = tt.load %xp, %mask : tensor<32x64x!tt.ptr<f16>>
    %scaled = arith.mulf %value, %half : tensor<32x64xf16>

    %named = tt.expand_dims %id {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %to = arith.muli %named, %strides : tensor<32x1xi32>
    %to2 = tt.broadcast %to : tensor<32x1xi32> -> tensor<32x64xi32>
    %target = arith.addi %to2, %c2 : tensor<32x64xi32>
    %os = tt.splat %out : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %op = tt.addptr %os, %target : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    tt.store %op, %scaled, %mask : tensor<32x64x!tt.ptr<f16>>
    %wide = arith.extf %scaled : tensor<32x64xf16> to tensor<32x64xf32>
    %ss = tt.splat %sums : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
    %sp = tt.addptr %ss, %target : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %old = tt.atomic_rmw fadd, relaxed, gpu, %sp, %wide, %mask : (tensor<32x64x!tt.ptr<f32>>, tensor<32x64xf32>,
        tensor<32x64xi1>) -> tensor<32x64xf32>
    tt.return
  }
}
