// Weights of 4 bits along the contraction, and zeros of 4 bits along the columns, which wrap around: pairs are one lane
// of a box, of the wrapped index, too, and its bound is rounded up. K is a multiple of 16 by what the kernel says, so
// that the pairs' bound needs no choice behind the load.
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: size div(arg7, 2), stride 1, at div({{.*}}, 2), along dimension 0 of the tile, where 2 neighbours are one
// EXPLAIN: size div(arg6 + 1, 2), stride 1, at 32 * program.y, along dimension 1 of the tile, where 2 neighbours are
// EXPLAIN: wrapped beyond lane arg6 - 64 * program.y of dimension 1: such lanes are never stored
// RUN: heddle run %s --device=sim --grid=2,2 \
// RUN:   --scalars=arg5=70,arg6=90,arg7=144,arg8=144,arg9=80,arg10=96,arg11=96,arg12=48 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,2 \
// RUN:   --scalars=arg5=70,arg6=90,arg7=144,arg8=144,arg9=80,arg10=96,arg11=96,arg12=48 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @columns(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<i8> {tt.divisibility = 16
        : i32}, %arg2: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f16> {tt.divisibility = 16 : i32},
              %arg4: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %arg5: i32, %arg6: i32, %arg7: i32 {tt.divisibility =
                    16 : i32}, %arg8: i32 {tt.divisibility = 16 : i32}, %arg9: i32 {tt.divisibility = 16 : i32},
                          %arg10: i32 {tt.divisibility = 16 : i32}, %arg11: i32 {tt.divisibility = 16 : i32}, %arg12:
                                i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<0> : tensor<64x64xi8>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %c0_i32 = arith.constant 0 : i32
    %cst_2 = arith.constant dense<4> : tensor<1x64xi32>
    %cst_3 = arith.constant dense<2> : tensor<1x64xi32>
    %cst_4 = arith.constant dense<64> : tensor<64x1xi32>
    %cst_5 = arith.constant dense<15> : tensor<64x64xi32>
    %cst_6 = arith.constant dense<4> : tensor<64x1xi32>
    %cst_7 = arith.constant dense<2> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tt.get_program_id x : i32
    %1 = tt.get_program_id y : i32
    %2 = arith.muli %0, %c64_i32 : i32
    %3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %4 = tt.splat %2 : i32 -> tensor<64xi32>
    %5 = arith.addi %4, %3 : tensor<64xi32>
    %6 = arith.muli %1, %c64_i32 : i32
    %7 = tt.splat %6 : i32 -> tensor<64xi32>
    %8 = arith.addi %7, %3 : tensor<64xi32>
    %9 = tt.splat %arg6 : i32 -> tensor<64xi32>
    %10 = arith.remsi %8, %9 : tensor<64xi32>
    %11 = scf.for %arg13 = %c0_i32 to %arg7 step %c64_i32 iter_args(%arg14 = %cst) -> (tensor<64x64xf32>)  : i32 {
      %29 = tt.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %30 = tt.splat %arg5 : i32 -> tensor<64x1xi32>
      %31 = arith.cmpi slt, %29, %30 : tensor<64x1xi32>
      %32 = tt.splat %arg13 : i32 -> tensor<64xi32>
      %33 = arith.addi %32, %3 : tensor<64xi32>
      %34 = tt.expand_dims %33 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %35 = tt.splat %arg7 : i32 -> tensor<1x64xi32>
      %36 = arith.cmpi slt, %34, %35 : tensor<1x64xi32>
      %37 = tt.broadcast %31 : tensor<64x1xi1> -> tensor<64x64xi1>
      %38 = tt.broadcast %36 : tensor<1x64xi1> -> tensor<64x64xi1>
      %39 = arith.andi %37, %38 : tensor<64x64xi1>
      %40 = tt.splat %arg8 : i32 -> tensor<64x1xi32>
      %41 = arith.muli %29, %40 : tensor<64x1xi32>
      %42 = tt.splat %arg0 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %43 = tt.addptr %42, %41 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %44 = tt.broadcast %43 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %45 = tt.broadcast %34 : tensor<1x64xi32> -> tensor<64x64xi32>
      %46 = tt.addptr %44, %45 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %47 = tt.load %46, %39, %cst_1 : tensor<64x64x!tt.ptr<f16>>
      %48 = tt.expand_dims %33 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %49 = tt.splat %arg7 : i32 -> tensor<64x1xi32>
      %50 = arith.cmpi slt, %48, %49 : tensor<64x1xi32>
      %51 = tt.expand_dims %3 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %52 = tt.splat %arg13 : i32 -> tensor<64x1xi32>
      %53 = arith.addi %52, %51 : tensor<64x1xi32>
      %54 = arith.divsi %53, %cst_7 : tensor<64x1xi32>
      %55 = tt.splat %arg1 : !tt.ptr<i8> -> tensor<64x1x!tt.ptr<i8>>
      %56 = tt.addptr %55, %54 : tensor<64x1x!tt.ptr<i8>>, tensor<64x1xi32>
      %57 = tt.expand_dims %10 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %58 = tt.splat %arg9 : i32 -> tensor<1x64xi32>
      %59 = arith.muli %57, %58 : tensor<1x64xi32>
      %60 = tt.broadcast %56 : tensor<64x1x!tt.ptr<i8>> -> tensor<64x64x!tt.ptr<i8>>
      %61 = tt.broadcast %59 : tensor<1x64xi32> -> tensor<64x64xi32>
      %62 = tt.addptr %60, %61 : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
      %63 = tt.broadcast %50 : tensor<64x1xi1> -> tensor<64x64xi1>
      %64 = tt.load %62, %63, %cst_0 : tensor<64x64x!tt.ptr<i8>>
      %65 = arith.remsi %51, %cst_7 : tensor<64x1xi32>
      %66 = arith.muli %65, %cst_6 : tensor<64x1xi32>
      %67 = arith.extui %64 : tensor<64x64xi8> to tensor<64x64xi32>
      %68 = tt.broadcast %66 : tensor<64x1xi32> -> tensor<64x64xi32>
      %69 = arith.shrui %67, %68 : tensor<64x64xi32>
      %70 = arith.andi %69, %cst_5 : tensor<64x64xi32>
      %71 = arith.divsi %53, %cst_4 : tensor<64x1xi32>
      %72 = tt.splat %arg3 : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
      %73 = tt.addptr %72, %57 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
      %74 = tt.splat %arg11 : i32 -> tensor<64x1xi32>
      %75 = arith.muli %71, %74 : tensor<64x1xi32>
      %76 = tt.broadcast %73 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %77 = tt.broadcast %75 : tensor<64x1xi32> -> tensor<64x64xi32>
      %78 = tt.addptr %76, %77 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %79 = tt.load %78 : tensor<64x64x!tt.ptr<f16>>
      %80 = arith.extf %79 : tensor<64x64xf16> to tensor<64x64xf32>
      %81 = arith.divsi %57, %cst_3 : tensor<1x64xi32>
      %82 = tt.splat %arg4 : !tt.ptr<i8> -> tensor<1x64x!tt.ptr<i8>>
      %83 = tt.addptr %82, %81 : tensor<1x64x!tt.ptr<i8>>, tensor<1x64xi32>
      %84 = tt.splat %arg12 : i32 -> tensor<64x1xi32>
      %85 = arith.muli %71, %84 : tensor<64x1xi32>
      %86 = tt.broadcast %83 : tensor<1x64x!tt.ptr<i8>> -> tensor<64x64x!tt.ptr<i8>>
      %87 = tt.broadcast %85 : tensor<64x1xi32> -> tensor<64x64xi32>
      %88 = tt.addptr %86, %87 : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
      %89 = tt.load %88 : tensor<64x64x!tt.ptr<i8>>
      %90 = arith.remsi %57, %cst_3 : tensor<1x64xi32>
      %91 = arith.muli %90, %cst_2 : tensor<1x64xi32>
      %92 = arith.extui %89 : tensor<64x64xi8> to tensor<64x64xi32>
      %93 = tt.broadcast %91 : tensor<1x64xi32> -> tensor<64x64xi32>
      %94 = arith.shrui %92, %93 : tensor<64x64xi32>
      %95 = arith.andi %94, %cst_5 : tensor<64x64xi32>
      %96 = arith.sitofp %95 : tensor<64x64xi32> to tensor<64x64xf32>
      %97 = arith.sitofp %70 : tensor<64x64xi32> to tensor<64x64xf32>
      %98 = arith.subf %97, %96 : tensor<64x64xf32>
      %99 = arith.mulf %98, %80 : tensor<64x64xf32>
      %100 = arith.truncf %99 : tensor<64x64xf32> to tensor<64x64xf16>
      %101 = tt.dot %47, %100, %arg14, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> ->
            tensor<64x64xf32>
      scf.yield %101 : tensor<64x64xf32>
    }
    %12 = tt.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %13 = tt.splat %arg5 : i32 -> tensor<64x1xi32>
    %14 = arith.cmpi slt, %12, %13 : tensor<64x1xi32>
    %15 = tt.expand_dims %8 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %16 = tt.splat %arg6 : i32 -> tensor<1x64xi32>
    %17 = arith.cmpi slt, %15, %16 : tensor<1x64xi32>
    %18 = tt.broadcast %14 : tensor<64x1xi1> -> tensor<64x64xi1>
    %19 = tt.broadcast %17 : tensor<1x64xi1> -> tensor<64x64xi1>
    %20 = arith.andi %18, %19 : tensor<64x64xi1>
    %21 = tt.splat %arg10 : i32 -> tensor<64x1xi32>
    %22 = arith.muli %12, %21 : tensor<64x1xi32>
    %23 = tt.splat %arg2 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %24 = tt.addptr %23, %22 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %25 = tt.broadcast %24 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %26 = tt.broadcast %15 : tensor<1x64xi32> -> tensor<64x64xi32>
    %27 = tt.addptr %25, %26 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %28 = arith.truncf %11 : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %27, %28, %20 : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
