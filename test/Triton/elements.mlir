// A kernel of rows that reads elements where one table says, and writes their shares of the sum where another does (a
// permutation, channels of a group): elements at named positions are rows of a tile of rank 1.
// RUN: heddle run %s --device=sim --grid=3 --scalars=n=200 '--input=to=arange(0, 1)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=n=200 '--input=to=arange(0, 1)' \
// RUN:   | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: tile.gather {{.*}} -> tensor<256xf16>
// TILE: tile.store {{.*}} rows {{.*}} : tensor<256xf32>
module {
  tt.func public @permuted(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %from: !tt.ptr<i32>
        {tt.divisibility = 16 : i32}, %to: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>
        {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %none = arith.constant dense<0.000000e+00> : tensor<256xf16>
    %zero = arith.constant dense<0> : tensor<256xi32>
    %row = tt.get_program_id x : i32
    %lane = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %limit = tt.splat %n : i32 -> tensor<256xi32>
    %mask = arith.cmpi slt, %lane, %limit : tensor<256xi32>
    %at = arith.muli %row, %n : i32
    %from_all = tt.splat %from : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %from_at = tt.addptr %from_all, %lane : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %i = tt.load %from_at, %mask, %zero : tensor<256x!tt.ptr<i32>>
    %x_row = tt.addptr %x, %at : !tt.ptr<f16>, i32
    %x_all = tt.splat %x_row : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %x_at = tt.addptr %x_all, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    %v = tt.load %x_at, %mask, %none : tensor<256x!tt.ptr<f16>>
    %wide = arith.extf %v : tensor<256xf16> to tensor<256xf32>
    %size = math.absf %wide : tensor<256xf32>
    %sum = "tt.reduce"(%size) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<256xf32>) -> f32
    %sums = tt.splat %sum : f32 -> tensor<256xf32>
    %share = arith.divf %wide, %sums : tensor<256xf32>
    %to_all = tt.splat %to : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %to_at = tt.addptr %to_all, %lane : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %j = tt.load %to_at, %mask, %zero : tensor<256x!tt.ptr<i32>>
    %y_row = tt.addptr %y, %at : !tt.ptr<f32>, i32
    %y_all = tt.splat %y_row : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %y_at = tt.addptr %y_all, %j : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %y_at, %share, %mask : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
