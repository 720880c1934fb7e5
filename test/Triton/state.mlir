// A state that chunks of rows carry; transposed tiles on both sides of products; a store in the loop.
// RUN: heddle run %s --device=sim --grid=2 --scalars=s=6400,T=100 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @linattn(%q: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<bf16> {tt.divisibility = 16
      : i32}, %v: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
      %s: i32 {tt.divisibility = 16 : i32}, %T: i32) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_1 = arith.constant dense<64> : tensor<64x1xi32>
    %0 = tt.get_program_id x : i32
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %2 = scf.for %i0 = %c0_i32 to %T step %c64_i32 iter_args(%i1 = %cst_0) -> (tensor<64x64xf32>)  : i32 {
      %3 = tt.splat %i0 : i32 -> tensor<64xi32>
      %4 = arith.addi %3, %1 : tensor<64xi32>
      %5 = tt.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %6 = tt.splat %T : i32 -> tensor<64x1xi32>
      %7 = arith.cmpi slt, %5, %6 : tensor<64x1xi32>
      %8 = arith.muli %0, %s : i32
      %9 = tt.addptr %q, %8 : !tt.ptr<bf16>, i32
      %10 = arith.muli %5, %cst_1 : tensor<64x1xi32>
      %11 = tt.splat %9 : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %12 = tt.addptr %11, %10 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %13 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %14 = tt.broadcast %12 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %15 = tt.broadcast %13 : tensor<1x64xi32> -> tensor<64x64xi32>
      %16 = tt.addptr %14, %15 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %17 = tt.broadcast %7 : tensor<64x1xi1> -> tensor<64x64xi1>
      %18 = tt.load %16, %17, %cst : tensor<64x64x!tt.ptr<bf16>>
      %19 = tt.addptr %k, %8 : !tt.ptr<bf16>, i32
      %20 = tt.splat %19 : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %21 = tt.addptr %20, %10 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %22 = tt.broadcast %21 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %23 = tt.addptr %22, %15 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %24 = tt.load %23, %17, %cst : tensor<64x64x!tt.ptr<bf16>>
      %25 = tt.addptr %v, %8 : !tt.ptr<bf16>, i32
      %26 = tt.splat %25 : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %27 = tt.addptr %26, %10 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %28 = tt.broadcast %27 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %29 = tt.addptr %28, %15 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %30 = tt.load %29, %17, %cst : tensor<64x64x!tt.ptr<bf16>>
      %31 = tt.trans %24 {order = array<i32: 1, 0>} : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %32 = tt.dot %18, %31, %cst_0, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16>
          -> tensor<64x64xf32>
      %33 = tt.expand_dims %1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %34 = tt.broadcast %33 : tensor<64x1xi32> -> tensor<64x64xi32>
      %35 = arith.cmpi sge, %34, %15 : tensor<64x64xi32>
      %36 = arith.select %35, %32, %cst_0 : tensor<64x64xi1>, tensor<64x64xf32>
      %37 = arith.truncf %36 : tensor<64x64xf32> to tensor<64x64xbf16>
      %38 = tt.dot %37, %30, %cst_0, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16>
          -> tensor<64x64xf32>
      %39 = arith.truncf %i1 : tensor<64x64xf32> to tensor<64x64xbf16>
      %40 = tt.dot %18, %39, %38, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
      %41 = tt.dot %31, %30, %i1, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
      %42 = tt.addptr %o, %8 : !tt.ptr<bf16>, i32
      %43 = tt.splat %42 : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
      %44 = tt.addptr %43, %10 : tensor<64x1x!tt.ptr<bf16>>, tensor<64x1xi32>
      %45 = tt.broadcast %44 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
      %46 = tt.addptr %45, %15 : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
      %47 = arith.truncf %40 : tensor<64x64xf32> to tensor<64x64xbf16>
      tt.store %46, %47, %17 : tensor<64x64x!tt.ptr<bf16>>
      scf.yield %41 : tensor<64x64xf32>
    }
    tt.return
  }
}
