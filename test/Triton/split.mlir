// Split contraction: programs add to memory. Wrapped rows and columns end at the mask of the addition.
// RUN: heddle run %s --device=sim --grid=4,2 --scalars=M=90,N=70,K=200,sam=200,sbk=80,scm=80 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4,2 --scalars=M=90,N=70,K=200,sam=200,sbk=80,scm=80 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @mm_even(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32, %K: i32 {tt.divisibility = 16 : i32},
      %sam: i32 {tt.divisibility = 16 : i32}, %sbk: i32 {tt.divisibility = 16 : i32},
      %scm: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c63_i32 = arith.constant 63 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c32_i32 = arith.constant 32 : i32
    %c64_i32 = arith.constant 64 : i32
    %c8_i32 = arith.constant 8 : i32
    %0 = tt.get_program_id x : i32
    %1 = tt.get_program_id y : i32
    %2 = arith.addi %M, %c63_i32 : i32
    %3 = arith.divsi %2, %c64_i32 : i32
    %4 = arith.addi %N, %c63_i32 : i32
    %5 = arith.divsi %4, %c64_i32 : i32
    %6 = arith.muli %5, %c8_i32 : i32
    %7 = arith.divsi %0, %6 : i32
    %8 = arith.muli %7, %c8_i32 : i32
    %9 = arith.subi %3, %8 : i32
    %10 = arith.minsi %9, %c8_i32 : i32
    %11 = arith.remsi %0, %10 : i32
    %12 = arith.addi %8, %11 : i32
    %13 = arith.remsi %0, %6 : i32
    %14 = arith.divsi %13, %10 : i32
    %15 = arith.muli %12, %c64_i32 : i32
    %16 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %17 = tt.splat %15 : i32 -> tensor<64xi32>
    %18 = arith.addi %17, %16 : tensor<64xi32>
    %19 = arith.muli %14, %c64_i32 : i32
    %20 = tt.splat %19 : i32 -> tensor<64xi32>
    %21 = arith.addi %20, %16 : tensor<64xi32>
    %22 = tt.splat %M : i32 -> tensor<64xi32>
    %23 = arith.remsi %18, %22 {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<64>
        : tensor<1xi32>} : tensor<64xi32>
    %24 = tt.splat %N : i32 -> tensor<64xi32>
    %25 = arith.remsi %21, %24 {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<64>
        : tensor<1xi32>} : tensor<64xi32>
    %26 = arith.muli %1, %c32_i32 : i32
    %27 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %28 = tt.splat %26 : i32 -> tensor<32xi32>
    %29 = arith.addi %28, %27 : tensor<32xi32>
    %30 = tt.expand_dims %23 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %31 = tt.splat %sam : i32 -> tensor<64x1xi32>
    %32 = arith.muli %30, %31 : tensor<64x1xi32>
    %33 = tt.expand_dims %29 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %34 = tt.broadcast %32 : tensor<64x1xi32> -> tensor<64x32xi32>
    %35 = tt.broadcast %33 : tensor<1x32xi32> -> tensor<64x32xi32>
    %36 = arith.addi %34, %35 : tensor<64x32xi32>
    %37 = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %38 = tt.addptr %37, %36 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %39 = tt.expand_dims %29 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %40 = tt.splat %sbk : i32 -> tensor<32x1xi32>
    %41 = arith.muli %39, %40 : tensor<32x1xi32>
    %42 = tt.expand_dims %25 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %43 = tt.broadcast %41 : tensor<32x1xi32> -> tensor<32x64xi32>
    %44 = tt.broadcast %42 : tensor<1x64xi32> -> tensor<32x64xi32>
    %45 = arith.addi %43, %44 : tensor<32x64xi32>
    %46 = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
    %47 = tt.addptr %46, %45 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %48 = tt.get_num_programs y : i32
    %49 = arith.muli %48, %c32_i32 : i32
    %50 = arith.subi %49, %c1_i32 : i32
    %51 = arith.addi %K, %50 : i32
    %52 = arith.divsi %51, %49 : i32
    %53:3 = scf.for %i0 = %c0_i32 to %52 step %c1_i32 iter_args(%i1 = %38, %i2 = %47, %i3 = %cst_1)
        -> (tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<64x64xf32>)  : i32 {
      %71 = arith.muli %i0, %49 : i32
      %72 = arith.subi %K, %71 : i32
      %73 = tt.splat %72 : i32 -> tensor<1x32xi32>
      %74 = arith.cmpi slt, %33, %73 : tensor<1x32xi32>
      %75 = tt.broadcast %74 : tensor<1x32xi1> -> tensor<64x32xi1>
      %76 = tt.load %i1, %75, %cst_0 : tensor<64x32x!tt.ptr<f16>>
      %77 = tt.splat %72 : i32 -> tensor<32x1xi32>
      %78 = arith.cmpi slt, %39, %77 : tensor<32x1xi32>
      %79 = tt.broadcast %78 : tensor<32x1xi1> -> tensor<32x64xi1>
      %80 = tt.load %i2, %79, %cst : tensor<32x64x!tt.ptr<f16>>
      %81 = tt.dot %76, %80, %i3, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      %82 = tt.splat %49 : i32 -> tensor<64x32xi32>
      %83 = tt.addptr %i1, %82 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %84 = arith.muli %49, %sbk : i32
      %85 = tt.splat %84 : i32 -> tensor<32x64xi32>
      %86 = tt.addptr %i2, %85 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      scf.yield %83, %86, %81 : tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<64x64xf32>
    }
    %54 = tt.expand_dims %18 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %55 = tt.splat %scm : i32 -> tensor<64x1xi32>
    %56 = arith.muli %54, %55 : tensor<64x1xi32>
    %57 = tt.expand_dims %21 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %58 = tt.broadcast %56 : tensor<64x1xi32> -> tensor<64x64xi32>
    %59 = tt.broadcast %57 : tensor<1x64xi32> -> tensor<64x64xi32>
    %60 = arith.addi %58, %59 : tensor<64x64xi32>
    %61 = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %62 = tt.addptr %61, %60 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %63 = arith.cmpi slt, %18, %22 : tensor<64xi32>
    %64 = tt.expand_dims %63 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %65 = arith.cmpi slt, %21, %24 : tensor<64xi32>
    %66 = tt.expand_dims %65 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %67 = tt.broadcast %64 : tensor<64x1xi1> -> tensor<64x64xi1>
    %68 = tt.broadcast %66 : tensor<1x64xi1> -> tensor<64x64xi1>
    %69 = arith.andi %67, %68 : tensor<64x64xi1>
    %70 = tt.atomic_rmw fadd, acq_rel, gpu, %62, %53#2, %69 : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>,
        tensor<64x64xi1>) -> tensor<64x64xf32>
    tt.return
  }
}
