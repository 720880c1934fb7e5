// The same with two arguments that are one tensor at the launch.
// RUN: heddle run %s --one-tensor=y=x --device=sim --grid=4,1,1 --scalars=N=4 | FileCheck %s
// RUN: heddle run %s --one-tensor=y=x --device=emulate --interleavings=1 --grid=4,1,1 --scalars=N=4 | FileCheck %s
// RUN: heddle compile %s --one-tensor=y=x -o %t && FileCheck %s --check-prefix=LAUNCH < %t/launch.json
// RUN: not heddle compile %s --emit=cuda --one-tensor=z=x 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not heddle compile %s --emit=cuda --one-tensor=y 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not heddle compile %S/codebook.mlir --emit=cuda --one-tensor=idx=cb 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not heddle compile %heddle_src/examples/01_gemm.mlir --emit=cuda --one-tensor=y=x 2>&1 | FileCheck %s --check-prefix=TILE
// CHECK: conversion:
// CHECK: {{^}}verified
// LAUNCH: "of": "x"
// LAUNCH-NOT: "of": "y"
// NAME: error: --one-tensor: expected one of the pointers 'x', 'y', 'c', 's', got 'z'
// PAIR: error: --one-tensor: expected NAME=NAME, got 'y'
// TYPE: error: --one-tensor: expected 'idx' and 'cb' to have one element type
// TILE: error: --one-tensor: expected a Triton kernel with it, got '{{.*}}01_gemm.mlir'
module {
  tt.func public @turned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility =
        16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 :
        i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<1> : tensor<32xi32>
    %cst_0 = arith.constant dense<2> : tensor<32xi32>
    %c32_i32 = arith.constant 32 : i32
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %a = arith.muli %r, %c64_i32 : i32
    %a_1 = tt.addptr %x, %a : !tt.ptr<f32>, i32
    %a_2 = arith.muli %i, %cst_0 : tensor<32xi32>
    %a_3 = tt.splat %a_1 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %a_4 = tt.addptr %a_3, %a_2 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %a_5 = tt.load %a_4 : tensor<32x!tt.ptr<f32>>
    %b = tt.addptr %a_4, %cst : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %b_6 = tt.load %b : tensor<32x!tt.ptr<f32>>
    %cc = arith.muli %r, %c32_i32 : i32
    %cc_7 = tt.addptr %c, %cc : !tt.ptr<f32>, i32
    %cc_8 = tt.splat %cc_7 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %cc_9 = tt.addptr %cc_8, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %cc_10 = tt.load %cc_9 : tensor<32x!tt.ptr<f32>>
    %ss = tt.addptr %s, %cc : !tt.ptr<f32>, i32
    %ss_11 = tt.splat %ss : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %ss_12 = tt.addptr %ss_11, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %ss_13 = tt.load %ss_12 : tensor<32x!tt.ptr<f32>>
    %0 = arith.mulf %a_5, %cc_10 : tensor<32xf32>
    %1 = arith.mulf %b_6, %ss_13 : tensor<32xf32>
    %2 = arith.subf %0, %1 : tensor<32xf32>
    %y_1 = tt.addptr %y, %a : !tt.ptr<f32>, i32
    %y_2 = tt.splat %y_1 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %y_3 = tt.addptr %y_2, %a_2 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    tt.store %y_3, %2 : tensor<32x!tt.ptr<f32>>
    %3 = arith.mulf %b_6, %cc_10 : tensor<32xf32>
    %4 = arith.mulf %a_5, %ss_13 : tensor<32xf32>
    %5 = arith.addf %3, %4 : tensor<32xf32>
    %y_4 = tt.addptr %y_3, %cst : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    tt.store %y_4, %5 : tensor<32x!tt.ptr<f32>>
    tt.return
  }
}
