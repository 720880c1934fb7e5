// A product of 8-bit integers with scales: sums are exact, and the kernel itself computes them as well.
// RUN: heddle run %s --device=sim --grid=2 --scalars=rows=90,depth=96 --time-limit=2 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @integers(%a: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32},
      %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32,
      %depth: i32 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %none = arith.constant dense<0> : tensor<64x64xi32>
    %padding = arith.constant dense<0> : tensor<64x32xi8>
    %pitch = arith.constant dense<64> : tensor<64x1xi32>
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c64 : i32
    %l64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %l32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %firsts = tt.splat %first : i32 -> tensor<64xi32>
    %r = arith.addi %firsts, %l64 : tensor<64xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %n1 = tt.expand_dims %l64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %n0 = tt.expand_dims %l64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %bound = tt.splat %rows : i32 -> tensor<64x1xi32>
    %inside = arith.cmpi slt, %r1, %bound : tensor<64x1xi32>
    %amask = tt.broadcast %inside : tensor<64x1xi1> -> tensor<64x32xi1>
    %depths = tt.splat %depth : i32 -> tensor<64x1xi32>
    %arow = arith.muli %r1, %depths : tensor<64x1xi32>
    %arows = tt.broadcast %arow : tensor<64x1xi32> -> tensor<64x32xi32>
    %brow = arith.muli %n1, %depths : tensor<64x1xi32>
    %brows = tt.broadcast %brow : tensor<64x1xi32> -> tensor<64x32xi32>
    %as = tt.splat %a : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
    %bs = tt.splat %b : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %none) -> (tensor<64x64xi32>)  : i32 {
      %ks = tt.splat %k : i32 -> tensor<32xi32>
      %kk = arith.addi %ks, %l32 : tensor<32xi32>
      %k0 = tt.expand_dims %kk {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %columns = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<64x32xi32>
      %aat = arith.addi %arows, %columns : tensor<64x32xi32>
      %ap = tt.addptr %as, %aat : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
      %at = tt.load %ap, %amask, %padding : tensor<64x32x!tt.ptr<i8>>
      %bat = arith.addi %brows, %columns : tensor<64x32xi32>
      %bp = tt.addptr %bs, %bat : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
      %bt = tt.load %bp : tensor<64x32x!tt.ptr<i8>>
      %btt = tt.trans %bt {order = array<i32: 1, 0>} : tensor<64x32xi8> -> tensor<32x64xi8>
      %next = tt.dot %at, %btt, %acc, inputPrecision = tf32 : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
      scf.yield %next : tensor<64x64xi32>
    }
    %float = arith.sitofp %sum : tensor<64x64xi32> to tensor<64x64xf32>
    %ss = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %sp = tt.addptr %ss, %l64 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %scale = tt.load %sp : tensor<64x!tt.ptr<f32>>
    %scale0 = tt.expand_dims %scale {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %scales = tt.broadcast %scale0 : tensor<1x64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %float, %scales : tensor<64x64xf32>
    %yrow = arith.muli %r1, %pitch : tensor<64x1xi32>
    %yrows = tt.broadcast %yrow : tensor<64x1xi32> -> tensor<64x64xi32>
    %ycolumns = tt.broadcast %n0 : tensor<1x64xi32> -> tensor<64x64xi32>
    %yat = arith.addi %yrows, %ycolumns : tensor<64x64xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %yat : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %stored = tt.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
    tt.store %yp, %scaled, %stored : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
