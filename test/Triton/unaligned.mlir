// Rows of 67 numbers: no tensor map has this stride, so that loads and the store are ordinary ones.
// RUN: heddle run %s --device=sim --grid=2 --scalars=rows=50 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=rows=50 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<32x64xi8>: box without the copy engine of view 'x'
// EXPLAIN-NEXT: dimension 0: size rows, stride 67, at 32 * program.x, along dimension 0 of the tile
// EXPLAIN: the copy engine needs 67 a multiple of 16
tt.func public @flags(%x: !tt.ptr<i1> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                      %rows: i32) {
  %c32 = arith.constant 32 : i32
  %c67 = arith.constant dense<67> : tensor<32x1xi32>
  %one = arith.constant dense<1.0> : tensor<32x64xf32>
  %two = arith.constant dense<2.0> : tensor<32x64xf32>
  %zero = arith.constant dense<0> : tensor<32x64xi8>
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c32 : i32
  %l32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %l64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %begins = tt.splat %begin : i32 -> tensor<32xi32>
  %at = arith.addi %begins, %l32 : tensor<32xi32>
  %r = tt.expand_dims %at {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c = tt.expand_dims %l64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ro = arith.muli %r, %c67 : tensor<32x1xi32>
  %rb = tt.broadcast %ro : tensor<32x1xi32> -> tensor<32x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %rb, %cb : tensor<32x64xi32>
  %limit = tt.splat %rows : i32 -> tensor<32x1xi32>
  %in = arith.cmpi slt, %r, %limit : tensor<32x1xi32>
  %mask = tt.broadcast %in : tensor<32x1xi1> -> tensor<32x64xi1>
  %bytes = tt.bitcast %x : !tt.ptr<i1> -> !tt.ptr<i8>
  %xs = tt.splat %bytes : !tt.ptr<i8> -> tensor<32x64x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %o : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
  %t = tt.load %xp, %mask, %zero : tensor<32x64x!tt.ptr<i8>>
  %flag = arith.cmpi ne, %t, %zero : tensor<32x64xi8>
  %v = arith.select %flag, %one, %two : tensor<32x64xi1>, tensor<32x64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %o : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  tt.store %yp, %v, %mask : tensor<32x64x!tt.ptr<f32>>
  tt.return
}
