// Causal rows of scores with batches and heads in strides, masked keys, and the logarithms of sums.
// RUN: heddle run %s --device=sim --grid=2,4 --scalars=scale=0.125,sqz=20480,sqh=10240,sqm=64,skz=20480,skh=10240,skn=64,svz=20480,svh=10240,svn=64,soz=20480,soh=10240,som=64,H=2,N=100 | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @attn(%Q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %K: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %V: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %L: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %scale: f32, %sqz: i32 {tt.divisibility = 16 : i32},
      %sqh: i32 {tt.divisibility = 16 : i32}, %sqm: i32 {tt.divisibility = 16 : i32},
      %skz: i32 {tt.divisibility = 16 : i32}, %skh: i32 {tt.divisibility = 16 : i32},
      %skn: i32 {tt.divisibility = 16 : i32}, %svz: i32 {tt.divisibility = 16 : i32},
      %svh: i32 {tt.divisibility = 16 : i32}, %svn: i32 {tt.divisibility = 16 : i32},
      %soz: i32 {tt.divisibility = 16 : i32}, %soh: i32 {tt.divisibility = 16 : i32},
      %som: i32 {tt.divisibility = 16 : i32}, %H: i32 {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16
      : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %cst_1 = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %c1_i32 = arith.constant 1 : i32
    %cst_2 = arith.constant dense<0xFF800000> : tensor<64xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tt.get_program_id x : i32
    %1 = tt.get_program_id y : i32
    %2 = arith.divsi %1, %H : i32
    %3 = arith.remsi %1, %H : i32
    %4 = arith.muli %0, %c64_i32 : i32
    %5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tt.splat %4 : i32 -> tensor<64xi32>
    %7 = arith.addi %6, %5 : tensor<64xi32>
    %8 = tt.expand_dims %7 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %9 = tt.splat %N : i32 -> tensor<64x1xi32>
    %10 = arith.cmpi slt, %8, %9 : tensor<64x1xi32>
    %11 = arith.muli %2, %sqz : i32
    %12 = tt.addptr %Q, %11 : !tt.ptr<f16>, i32
    %13 = arith.muli %3, %sqh : i32
    %14 = tt.addptr %12, %13 : !tt.ptr<f16>, i32
    %15 = tt.splat %sqm : i32 -> tensor<64x1xi32>
    %16 = arith.muli %8, %15 : tensor<64x1xi32>
    %17 = tt.splat %14 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %18 = tt.addptr %17, %16 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %19 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %20 = tt.broadcast %18 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %21 = tt.broadcast %19 : tensor<1x64xi32> -> tensor<64x64xi32>
    %22 = tt.addptr %20, %21 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %23 = tt.broadcast %10 : tensor<64x1xi1> -> tensor<64x64xi1>
    %24 = tt.load %22, %23, %cst_0 : tensor<64x64x!tt.ptr<f16>>
    %25 = arith.muli %2, %skz : i32
    %26 = tt.addptr %K, %25 : !tt.ptr<f16>, i32
    %27 = arith.muli %3, %skh : i32
    %28 = tt.addptr %26, %27 : !tt.ptr<f16>, i32
    %29 = tt.splat %skn : i32 -> tensor<1x64xi32>
    %30 = arith.muli %19, %29 : tensor<1x64xi32>
    %31 = tt.splat %28 : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
    %32 = tt.addptr %31, %30 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
    %33 = tt.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %34 = tt.broadcast %32 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %35 = tt.broadcast %33 : tensor<64x1xi32> -> tensor<64x64xi32>
    %36 = tt.addptr %34, %35 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %37 = arith.muli %2, %svz : i32
    %38 = tt.addptr %V, %37 : !tt.ptr<f16>, i32
    %39 = arith.muli %3, %svh : i32
    %40 = tt.addptr %38, %39 : !tt.ptr<f16>, i32
    %41 = tt.splat %svn : i32 -> tensor<64x1xi32>
    %42 = arith.muli %33, %41 : tensor<64x1xi32>
    %43 = tt.splat %40 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %44 = tt.addptr %43, %42 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %45 = tt.broadcast %44 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %46 = tt.addptr %45, %21 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %47 = arith.addi %0, %c1_i32 : i32
    %48 = arith.muli %47, %c64_i32 : i32
    %49 = arith.minsi %48, %N : i32
    %50:3 = scf.for %i0 = %c0_i32 to %49 step %c64_i32 iter_args(%i1 = %cst_2, %i2 = %cst, %i3 = %cst_3)
        -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)  : i32 {
      %73 = tt.splat %i0 : i32 -> tensor<64xi32>
      %74 = arith.addi %73, %5 : tensor<64xi32>
      %75 = tt.expand_dims %74 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %76 = tt.splat %N : i32 -> tensor<1x64xi32>
      %77 = arith.cmpi slt, %75, %76 : tensor<1x64xi32>
      %78 = arith.muli %i0, %skn : i32
      %79 = tt.splat %78 : i32 -> tensor<64x64xi32>
      %80 = tt.addptr %36, %79 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %81 = tt.broadcast %77 : tensor<1x64xi1> -> tensor<64x64xi1>
      %82 = tt.load %80, %81, %cst_0 : tensor<64x64x!tt.ptr<f16>>
      %83 = tt.dot %24, %82, %cst_3, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %84 = tt.splat %scale : f32 -> tensor<64x64xf32>
      %85 = arith.mulf %83, %84 : tensor<64x64xf32>
      %86 = arith.select %81, %85, %cst_1 : tensor<64x64xi1>, tensor<64x64xf32>
      %87 = tt.broadcast %8 : tensor<64x1xi32> -> tensor<64x64xi32>
      %88 = tt.broadcast %75 : tensor<1x64xi32> -> tensor<64x64xi32>
      %89 = arith.cmpi sge, %87, %88 : tensor<64x64xi32>
      %90 = arith.select %89, %86, %cst_1 : tensor<64x64xi1>, tensor<64x64xf32>
      %91 = "tt.reduce"(%90) <{axis = 1 : i32}> ({
      ^bb0(%i4: f32, %i5: f32):
        %114 = arith.maxnumf %i4, %i5 : f32
        tt.reduce.return %114 : f32
      }) : (tensor<64x64xf32>) -> tensor<64xf32>
      %92 = arith.maxnumf %i1, %91 : tensor<64xf32>
      %93 = tt.expand_dims %92 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %94 = tt.broadcast %93 : tensor<64x1xf32> -> tensor<64x64xf32>
      %95 = arith.subf %90, %94 : tensor<64x64xf32>
      %96 = math.exp %95 : tensor<64x64xf32>
      %97 = arith.subf %i1, %92 : tensor<64xf32>
      %98 = math.exp %97 : tensor<64xf32>
      %99 = arith.mulf %i2, %98 : tensor<64xf32>
      %100 = "tt.reduce"(%96) <{axis = 1 : i32}> ({
      ^bb0(%i4: f32, %i5: f32):
        %114 = arith.addf %i4, %i5 : f32
        tt.reduce.return %114 : f32
      }) : (tensor<64x64xf32>) -> tensor<64xf32>
      %101 = arith.addf %99, %100 : tensor<64xf32>
      %102 = tt.expand_dims %98 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %103 = tt.broadcast %102 : tensor<64x1xf32> -> tensor<64x64xf32>
      %104 = arith.mulf %i3, %103 : tensor<64x64xf32>
      %105 = tt.expand_dims %74 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %106 = arith.cmpi slt, %105, %9 : tensor<64x1xi32>
      %107 = arith.muli %i0, %svn : i32
      %108 = tt.splat %107 : i32 -> tensor<64x64xi32>
      %109 = tt.addptr %46, %108 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %110 = tt.broadcast %106 : tensor<64x1xi1> -> tensor<64x64xi1>
      %111 = tt.load %109, %110, %cst_0 : tensor<64x64x!tt.ptr<f16>>
      %112 = arith.truncf %96 : tensor<64x64xf32> to tensor<64x64xf16>
      %113 = tt.dot %112, %111, %104, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %92, %101, %113 : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
    }
    %51 = tt.expand_dims %50#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %52 = tt.broadcast %51 : tensor<64x1xf32> -> tensor<64x64xf32>
    %53 = arith.divf %50#2, %52 : tensor<64x64xf32>
    %54 = tt.splat %N : i32 -> tensor<64xi32>
    %55 = arith.cmpi slt, %7, %54 : tensor<64xi32>
    %56 = arith.muli %1, %N : i32
    %57 = tt.addptr %L, %56 : !tt.ptr<f32>, i32
    %58 = tt.splat %57 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %59 = tt.addptr %58, %7 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %60 = math.log %50#1 : tensor<64xf32>
    %61 = arith.addf %50#0, %60 : tensor<64xf32>
    tt.store %59, %61, %55 : tensor<64x!tt.ptr<f32>>
    %62 = arith.muli %2, %soz : i32
    %63 = tt.addptr %O, %62 : !tt.ptr<f16>, i32
    %64 = arith.muli %3, %soh : i32
    %65 = tt.addptr %63, %64 : !tt.ptr<f16>, i32
    %66 = tt.splat %som : i32 -> tensor<64x1xi32>
    %67 = arith.muli %8, %66 : tensor<64x1xi32>
    %68 = tt.splat %65 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %69 = tt.addptr %68, %67 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %70 = tt.broadcast %69 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %71 = tt.addptr %70, %21 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %72 = arith.truncf %53 : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %71, %72, %23 : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
