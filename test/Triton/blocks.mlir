// Block pointers, which Triton's front end makes pointers and masks with lower bounds of 64 bits.
// RUN: heddle run %s --device=sim --grid=2,3 --scalars=M=90,N=70,K=72,sam=80,sbk=80,scm=72 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,3 --scalars=M=90,N=70,K=72,sam=80,sbk=80,scm=72 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @mm_block(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32, %K: i32,
      %sam: i32 {tt.divisibility = 16 : i32}, %sbk: i32 {tt.divisibility = 16 : i32},
      %scm: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c32_i64 = arith.constant 32 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<32x32xf16>
    %cst_0 = arith.constant dense<0> : tensor<32x1xi64>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %cst_2 = arith.constant dense<0> : tensor<1x32xi64>
    %cst_3 = arith.constant dense<0> : tensor<64x1xi64>
    %c0_i64 = arith.constant 0 : i64
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %0 = tt.get_program_id x : i32
    %1 = tt.get_program_id y : i32
    %2 = arith.muli %0, %c64_i32 : i32
    %3 = arith.extsi %M : i32 to i64
    %4 = arith.extsi %K : i32 to i64
    %5 = arith.extsi %sam : i32 to i64
    %6 = arith.extsi %2 : i32 to i64
    %7 = arith.muli %1, %c32_i32 : i32
    %8 = arith.extsi %N : i32 to i64
    %9 = arith.extsi %sbk : i32 to i64
    %10 = arith.extsi %7 : i32 to i64
    %11:3 = scf.for %i0 = %c0_i32 to %K step %c32_i32 iter_args(%i1 = %c0_i64, %i2 = %c0_i64, %i3 = %cst_4) -> (i64,
        i64, tensor<64x32xf32>)  : i32 {
      %42 = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
      %43 = tt.splat %6 : i64 -> tensor<64xi64>
      %44 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %45 = arith.extsi %44 : tensor<64xi32> to tensor<64xi64>
      %46 = arith.addi %43, %45 : tensor<64xi64>
      %47 = tt.expand_dims %46 {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
      %48 = tt.splat %5 : i64 -> tensor<64x1xi64>
      %49 = arith.muli %47, %48 : tensor<64x1xi64>
      %50 = tt.broadcast %49 : tensor<64x1xi64> -> tensor<64x32xi64>
      %51 = tt.splat %i1 : i64 -> tensor<32xi64>
      %52 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %53 = arith.extsi %52 : tensor<32xi32> to tensor<32xi64>
      %54 = arith.addi %51, %53 : tensor<32xi64>
      %55 = tt.expand_dims %54 {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
      %56 = tt.broadcast %55 : tensor<1x32xi64> -> tensor<64x32xi64>
      %57 = arith.addi %50, %56 : tensor<64x32xi64>
      %58 = tt.addptr %42, %57 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi64>
      %59 = arith.cmpi sge, %47, %cst_3 : tensor<64x1xi64>
      %60 = tt.splat %3 : i64 -> tensor<64x1xi64>
      %61 = arith.cmpi slt, %47, %60 : tensor<64x1xi64>
      %62 = arith.andi %59, %61 : tensor<64x1xi1>
      %63 = tt.broadcast %62 : tensor<64x1xi1> -> tensor<64x32xi1>
      %64 = arith.cmpi sge, %55, %cst_2 : tensor<1x32xi64>
      %65 = tt.splat %4 : i64 -> tensor<1x32xi64>
      %66 = arith.cmpi slt, %55, %65 : tensor<1x32xi64>
      %67 = arith.andi %64, %66 : tensor<1x32xi1>
      %68 = tt.broadcast %67 : tensor<1x32xi1> -> tensor<64x32xi1>
      %69 = arith.andi %63, %68 : tensor<64x32xi1>
      %70 = tt.load %58, %69, %cst_1 : tensor<64x32x!tt.ptr<f16>>
      %71 = tt.splat %b : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
      %72 = tt.splat %i2 : i64 -> tensor<32xi64>
      %73 = arith.addi %72, %53 : tensor<32xi64>
      %74 = tt.expand_dims %73 {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
      %75 = tt.splat %9 : i64 -> tensor<32x1xi64>
      %76 = arith.muli %74, %75 : tensor<32x1xi64>
      %77 = tt.broadcast %76 : tensor<32x1xi64> -> tensor<32x32xi64>
      %78 = tt.splat %10 : i64 -> tensor<32xi64>
      %79 = arith.addi %78, %53 : tensor<32xi64>
      %80 = tt.expand_dims %79 {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
      %81 = tt.broadcast %80 : tensor<1x32xi64> -> tensor<32x32xi64>
      %82 = arith.addi %77, %81 : tensor<32x32xi64>
      %83 = tt.addptr %71, %82 : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi64>
      %84 = arith.cmpi sge, %74, %cst_0 : tensor<32x1xi64>
      %85 = tt.splat %4 : i64 -> tensor<32x1xi64>
      %86 = arith.cmpi slt, %74, %85 : tensor<32x1xi64>
      %87 = arith.andi %84, %86 : tensor<32x1xi1>
      %88 = tt.broadcast %87 : tensor<32x1xi1> -> tensor<32x32xi1>
      %89 = arith.cmpi sge, %80, %cst_2 : tensor<1x32xi64>
      %90 = tt.splat %8 : i64 -> tensor<1x32xi64>
      %91 = arith.cmpi slt, %80, %90 : tensor<1x32xi64>
      %92 = arith.andi %89, %91 : tensor<1x32xi1>
      %93 = tt.broadcast %92 : tensor<1x32xi1> -> tensor<32x32xi1>
      %94 = arith.andi %88, %93 : tensor<32x32xi1>
      %95 = tt.load %83, %94, %cst : tensor<32x32x!tt.ptr<f16>>
      %96 = tt.dot %70, %95, %i3, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x32xf16> -> tensor<64x32xf32>
      %97 = arith.addi %i1, %c32_i64 : i64
      %98 = arith.addi %i2, %c32_i64 : i64
      scf.yield %97, %98, %96 : i64, i64, tensor<64x32xf32>
    }
    %12 = arith.extsi %scm : i32 to i64
    %13 = arith.truncf %11#2 : tensor<64x32xf32> to tensor<64x32xf16>
    %14 = tt.splat %c : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %15 = tt.splat %6 : i64 -> tensor<64xi64>
    %16 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %17 = arith.extsi %16 : tensor<64xi32> to tensor<64xi64>
    %18 = arith.addi %15, %17 : tensor<64xi64>
    %19 = tt.expand_dims %18 {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
    %20 = tt.splat %12 : i64 -> tensor<64x1xi64>
    %21 = arith.muli %19, %20 : tensor<64x1xi64>
    %22 = tt.broadcast %21 : tensor<64x1xi64> -> tensor<64x32xi64>
    %23 = tt.splat %10 : i64 -> tensor<32xi64>
    %24 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %25 = arith.extsi %24 : tensor<32xi32> to tensor<32xi64>
    %26 = arith.addi %23, %25 : tensor<32xi64>
    %27 = tt.expand_dims %26 {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
    %28 = tt.broadcast %27 : tensor<1x32xi64> -> tensor<64x32xi64>
    %29 = arith.addi %22, %28 : tensor<64x32xi64>
    %30 = tt.addptr %14, %29 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi64>
    %31 = arith.cmpi sge, %19, %cst_3 : tensor<64x1xi64>
    %32 = tt.splat %3 : i64 -> tensor<64x1xi64>
    %33 = arith.cmpi slt, %19, %32 : tensor<64x1xi64>
    %34 = arith.andi %31, %33 : tensor<64x1xi1>
    %35 = tt.broadcast %34 : tensor<64x1xi1> -> tensor<64x32xi1>
    %36 = arith.cmpi sge, %27, %cst_2 : tensor<1x32xi64>
    %37 = tt.splat %8 : i64 -> tensor<1x32xi64>
    %38 = arith.cmpi slt, %27, %37 : tensor<1x32xi64>
    %39 = arith.andi %36, %38 : tensor<1x32xi1>
    %40 = tt.broadcast %39 : tensor<1x32xi1> -> tensor<64x32xi1>
    %41 = arith.andi %35, %40 : tensor<64x32xi1>
    tt.store %30, %13, %41 : tensor<64x32x!tt.ptr<f16>>
    tt.return
  }
}
