// A product of a row's elements, and the bits that an odd number of them have: reductions that neither add nor compare.
// RUN: heddle run %s --device=sim --grid=40 --scalars=n=32 | FileCheck %s
// RUN: heddle run %s --device=emulate --grid=40 --scalars=n=32 | FileCheck %s --check-prefix=RIGHT
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RIGHT: {{^}}verified
module {
  tt.func public @folds(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i32> {tt.divisibility = 16 : i32},
      %p: !tt.ptr<f32>, %o: !tt.ptr<i32>, %n: i32 {tt.divisibility = 16 : i32}) {
    %one = arith.constant dense<1.000000e+00> : tensor<32xf32>
    %tenth = arith.constant dense<1.000000e-01> : tensor<32xf32>
    %row = tt.get_program_id x : i32
    %columns = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %first = arith.muli %row, %n : i32
    %xrow = tt.addptr %x, %first : !tt.ptr<f32>, i32
    %xs = tt.splat %xrow : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %xat = tt.addptr %xs, %columns : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %value = tt.load %xat : tensor<32x!tt.ptr<f32>>
    %small = arith.mulf %value, %tenth : tensor<32xf32>
    %factor = arith.addf %small, %one : tensor<32xf32>
    %product = "tt.reduce"(%factor) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.mulf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32xf32>) -> f32
    %pat = tt.addptr %p, %row : !tt.ptr<f32>, i32
    tt.store %pat, %product : !tt.ptr<f32>
    %brow = tt.addptr %b, %first : !tt.ptr<i32>, i32
    %bs = tt.splat %brow : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %bat = tt.addptr %bs, %columns : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %bits = tt.load %bat : tensor<32x!tt.ptr<i32>>
    %odd = "tt.reduce"(%bits) <{axis = 0 : i32}> ({
    ^bb0(%u: i32, %v: i32):
      %w = arith.xori %u, %v : i32
      tt.reduce.return %w : i32
    }) : (tensor<32xi32>) -> i32
    %oat = tt.addptr %o, %row : !tt.ptr<i32>, i32
    tt.store %oat, %odd : !tt.ptr<i32>
    tt.return
  }
}
