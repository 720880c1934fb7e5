// Keys and values in pages that a table names; as many as a length says.
// RUN: heddle run %s --device=sim --grid=2 --scalars=scale=0.125,sq=4096,skb=2048,skt=64 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @page_attn(%Q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %KC: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %VC: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %tab: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %lens: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %scale: f32,
      %sq: i32 {tt.divisibility = 16 : i32}, %skb: i32 {tt.divisibility = 16 : i32}, %skt: i32 {tt.divisibility = 16
      : i32}) attributes {noinline = false} {
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<-1.000000e+30> : tensor<64x32xf32>
    %c32_i32 = arith.constant 32 : i32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %c16_i32 = arith.constant 16 : i32
    %cst_3 = arith.constant dense<-1.000000e+30> : tensor<64xf32>
    %cst_4 = arith.constant dense<64> : tensor<64x1xi32>
    %0 = tt.get_program_id x : i32
    %1 = tt.addptr %lens, %0 : !tt.ptr<i32>, i32
    %2 = tt.load %1 : !tt.ptr<i32>
    %3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %4 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %5 = arith.muli %0, %sq : i32
    %6 = tt.addptr %Q, %5 : !tt.ptr<f16>, i32
    %7 = tt.expand_dims %3 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %8 = arith.muli %7, %cst_4 : tensor<64x1xi32>
    %9 = tt.splat %6 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %10 = tt.addptr %9, %8 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %11 = tt.expand_dims %3 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %12 = tt.broadcast %10 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %13 = tt.broadcast %11 : tensor<1x64xi32> -> tensor<64x64xi32>
    %14 = tt.addptr %12, %13 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %15 = tt.load %14 : tensor<64x64x!tt.ptr<f16>>
    %16 = arith.addi %2, %c31_i32 : i32
    %17 = arith.divsi %16, %c32_i32 : i32
    %18:3 = scf.for %i0 = %c0_i32 to %17 step %c1_i32 iter_args(%i1 = %cst_3, %i2 = %cst_0, %i3 = %cst)
        -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)  : i32 {
      %28 = arith.muli %0, %c16_i32 : i32
      %29 = tt.addptr %tab, %28 : !tt.ptr<i32>, i32
      %30 = tt.addptr %29, %i0 : !tt.ptr<i32>, i32
      %31 = tt.load %30 : !tt.ptr<i32>
      %32 = arith.extsi %31 : i32 to i64
      %33 = arith.extsi %skb : i32 to i64
      %34 = arith.muli %32, %33 : i64
      %35 = tt.addptr %KC, %34 : !tt.ptr<f16>, i64
      %36 = tt.expand_dims %4 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %37 = tt.splat %skt : i32 -> tensor<1x32xi32>
      %38 = arith.muli %36, %37 : tensor<1x32xi32>
      %39 = tt.splat %35 : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>>
      %40 = tt.addptr %39, %38 : tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>
      %41 = tt.broadcast %40 : tensor<1x32x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %42 = tt.broadcast %7 : tensor<64x1xi32> -> tensor<64x32xi32>
      %43 = tt.addptr %41, %42 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %44 = tt.load %43 : tensor<64x32x!tt.ptr<f16>>
      %45 = tt.dot %15, %44, %cst_2, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
      %46 = tt.splat %scale : f32 -> tensor<64x32xf32>
      %47 = arith.mulf %45, %46 : tensor<64x32xf32>
      %48 = arith.muli %i0, %c32_i32 : i32
      %49 = tt.splat %48 : i32 -> tensor<1x32xi32>
      %50 = arith.addi %49, %36 : tensor<1x32xi32>
      %51 = tt.splat %2 : i32 -> tensor<1x32xi32>
      %52 = arith.cmpi slt, %50, %51 : tensor<1x32xi32>
      %53 = tt.broadcast %52 : tensor<1x32xi1> -> tensor<64x32xi1>
      %54 = arith.select %53, %47, %cst_1 : tensor<64x32xi1>, tensor<64x32xf32>
      %55 = "tt.reduce"(%54) <{axis = 1 : i32}> ({
      ^bb0(%i4: f32, %i5: f32):
        %81 = arith.maxnumf %i4, %i5 : f32
        tt.reduce.return %81 : f32
      }) : (tensor<64x32xf32>) -> tensor<64xf32>
      %56 = arith.maxnumf %i1, %55 : tensor<64xf32>
      %57 = tt.expand_dims %56 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %58 = tt.broadcast %57 : tensor<64x1xf32> -> tensor<64x32xf32>
      %59 = arith.subf %54, %58 : tensor<64x32xf32>
      %60 = math.exp %59 : tensor<64x32xf32>
      %61 = arith.subf %i1, %56 : tensor<64xf32>
      %62 = math.exp %61 : tensor<64xf32>
      %63 = arith.mulf %i2, %62 : tensor<64xf32>
      %64 = "tt.reduce"(%60) <{axis = 1 : i32}> ({
      ^bb0(%i4: f32, %i5: f32):
        %81 = arith.addf %i4, %i5 : f32
        tt.reduce.return %81 : f32
      }) : (tensor<64x32xf32>) -> tensor<64xf32>
      %65 = arith.addf %63, %64 : tensor<64xf32>
      %66 = tt.expand_dims %62 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %67 = tt.broadcast %66 : tensor<64x1xf32> -> tensor<64x64xf32>
      %68 = arith.mulf %i3, %67 : tensor<64x64xf32>
      %69 = tt.addptr %VC, %34 : !tt.ptr<f16>, i64
      %70 = tt.expand_dims %4 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %71 = tt.splat %skt : i32 -> tensor<32x1xi32>
      %72 = arith.muli %70, %71 : tensor<32x1xi32>
      %73 = tt.splat %69 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %74 = tt.addptr %73, %72 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %75 = tt.broadcast %74 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
      %76 = tt.broadcast %11 : tensor<1x64xi32> -> tensor<32x64xi32>
      %77 = tt.addptr %75, %76 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %78 = tt.load %77 : tensor<32x64x!tt.ptr<f16>>
      %79 = arith.truncf %60 : tensor<64x32xf32> to tensor<64x32xf16>
      %80 = tt.dot %79, %78, %68, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %56, %65, %80 : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
    }
    %19 = tt.addptr %O, %5 : !tt.ptr<f16>, i32
    %20 = tt.splat %19 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %21 = tt.addptr %20, %8 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %22 = tt.broadcast %21 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %23 = tt.addptr %22, %13 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %24 = tt.expand_dims %18#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %25 = tt.broadcast %24 : tensor<64x1xf32> -> tensor<64x64xf32>
    %26 = arith.divf %18#2, %25 : tensor<64x64xf32>
    %27 = arith.truncf %26 : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %23, %27 : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
