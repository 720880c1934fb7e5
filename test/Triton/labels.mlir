// A loss whose gradient overwrites its logits: an element of them is read before that, and written after it.
// RUN: heddle explain %s | FileCheck %s --check-prefix=VIEW
// VIEW: load of bf16: scalar of view 'x'
// VIEW-NEXT: dimension 0: size unbounded, stride sx, at program.x
// VIEW-NEXT: dimension 1: size V, stride 1, at
// RUN: heddle run %s --device=sim --grid=4 --scalars=V=1200,sx=1208,n=3,ls=0.1,ignore=1 \
// RUN:   --input 't=arange(0,1)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @liger_old(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %t: !tt.ptr<i64> {tt.divisibility = 16
      : i32}, %loss: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %V: i32, %sx: i32 {tt.divisibility = 16 : i32},
      %n: i32, %ls: f32, %ignore: i32) attributes {noinline = false} {
    %cst = arith.constant dense<0xFF80> : tensor<512xbf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<512xbf16>
    %c512_i32 = arith.constant 512 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 0xFF800000 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %r = tt.get_program_id x : i32
    %r_4 = arith.extsi %r : i32 to i64
    %y = tt.addptr %t, %r_4 : !tt.ptr<i64>, i64
    %y_5 = tt.load %y : !tt.ptr<i64>
    %x_6 = arith.extsi %sx : i32 to i64
    %x_7 = arith.muli %r_4, %x_6 : i64
    %x_8 = tt.addptr %x, %x_7 : !tt.ptr<bf16>, i64
    %0 = arith.extsi %ignore : i32 to i64
    %1 = arith.cmpi eq, %y_5, %0 : i64
    cf.cond_br %1, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    scf.for %v = %c0_i32 to %V step %c512_i32  : i32 {
      %c = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
      %c_16 = tt.splat %v : i32 -> tensor<512xi32>
      %c_17 = arith.addi %c_16, %c : tensor<512xi32>
      %8 = tt.splat %V : i32 -> tensor<512xi32>
      %9 = arith.cmpi slt, %c_17, %8 : tensor<512xi32>
      %10 = tt.splat %x_8 : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
      %11 = tt.addptr %10, %c_17 : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
      tt.store %11, %cst_0, %9 : tensor<512x!tt.ptr<bf16>>
    }
    tt.return
  ^bb2:  // pred: ^bb0
    %xt = arith.addi %x_7, %y_5 : i64
    %xt_9 = tt.addptr %x, %xt : !tt.ptr<bf16>, i64
    %xt_10 = tt.load %xt_9 : !tt.ptr<bf16>
    %xt_11 = arith.extf %xt_10 : bf16 to f32
    %s:2 = scf.for %v = %c0_i32 to %V step %c512_i32 iter_args(%m = %cst_2, %s_16 = %cst_3) -> (f32, f32)  : i32 {
      %c = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
      %c_17 = tt.splat %v : i32 -> tensor<512xi32>
      %c_18 = arith.addi %c_17, %c : tensor<512xi32>
      %z = tt.splat %V : i32 -> tensor<512xi32>
      %z_19 = arith.cmpi slt, %c_18, %z : tensor<512xi32>
      %z_20 = tt.splat %x_8 : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
      %z_21 = tt.addptr %z_20, %c_18 : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
      %z_22 = tt.load %z_21, %z_19, %cst : tensor<512x!tt.ptr<bf16>>
      %z_23 = arith.extf %z_22 : tensor<512xbf16> to tensor<512xf32>
      %mn = tt.reshape %z_23 allow_reorder : tensor<512xf32> -> tensor<512xf32>
      %mn_24 = "tt.reduce"(%mn) <{axis = 0 : i32}> ({
      ^bb0(%mn_35: f32, %mn_36: f32):
        %mn_37 = arith.maxnumf %mn_35, %mn_36 : f32
        tt.reduce.return %mn_37 : f32
      }) : (tensor<512xf32>) -> f32
      %mn_25 = arith.maxnumf %m, %mn_24 : f32
      %s_26 = arith.subf %m, %mn_25 : f32
      %s_27 = math.exp %s_26 : f32
      %s_28 = arith.mulf %s_16, %s_27 : f32
      %s_29 = tt.splat %mn_25 : f32 -> tensor<512xf32>
      %s_30 = arith.subf %z_23, %s_29 : tensor<512xf32>
      %s_31 = math.exp %s_30 : tensor<512xf32>
      %s_32 = tt.reshape %s_31 allow_reorder : tensor<512xf32> -> tensor<512xf32>
      %s_33 = "tt.reduce"(%s_32) <{axis = 0 : i32}> ({
      ^bb0(%s_35: f32, %s_36: f32):
        %s_37 = arith.addf %s_35, %s_36 : f32
        tt.reduce.return %s_37 : f32
      }) : (tensor<512xf32>) -> f32
      %s_34 = arith.addf %s_28, %s_33 : f32
      scf.yield %mn_25, %s_34 : f32, f32
    }
    scf.for %v = %c0_i32 to %V step %c512_i32  : i32 {
      %c = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
      %c_16 = tt.splat %v : i32 -> tensor<512xi32>
      %c_17 = arith.addi %c_16, %c : tensor<512xi32>
      %z = tt.splat %V : i32 -> tensor<512xi32>
      %z_18 = arith.cmpi slt, %c_17, %z : tensor<512xi32>
      %z_19 = tt.splat %x_8 : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
      %z_20 = tt.addptr %z_19, %c_17 : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
      %z_21 = tt.load %z_20, %z_18, %cst : tensor<512x!tt.ptr<bf16>>
      %z_22 = arith.extf %z_21 : tensor<512xbf16> to tensor<512xf32>
      %8 = tt.splat %s#0 : f32 -> tensor<512xf32>
      %9 = arith.subf %z_22, %8 : tensor<512xf32>
      %10 = math.exp %9 : tensor<512xf32>
      %11 = tt.splat %s#1 : f32 -> tensor<512xf32>
      %12 = arith.divf %10, %11 : tensor<512xf32>
      %13 = arith.sitofp %n : i32 to f32
      %14 = tt.splat %13 : f32 -> tensor<512xf32>
      %15 = arith.divf %12, %14 : tensor<512xf32>
      %16 = arith.truncf %15 : tensor<512xf32> to tensor<512xbf16>
      tt.store %z_20, %16, %z_18 : tensor<512x!tt.ptr<bf16>>
    }
    gpu.barrier
    %g = tt.load %xt_9 : !tt.ptr<bf16>
    %g_12 = arith.extf %g : bf16 to f32
    %g_13 = arith.sitofp %n : i32 to f32
    %g_14 = arith.divf %cst_1, %g_13 : f32
    %g_15 = arith.subf %g_12, %g_14 : f32
    %2 = arith.truncf %g_15 : f32 to bf16
    tt.store %xt_9, %2 : !tt.ptr<bf16>
    %3 = tt.addptr %loss, %r_4 : !tt.ptr<f32>, i64
    %4 = math.log %s#1 : f32
    %5 = arith.addf %s#0, %4 : f32
    %6 = arith.subf %5, %xt_11 : f32
    %7 = arith.divf %6, %g_13 : f32
    tt.store %3, %7 : !tt.ptr<f32>
    tt.return
  }
}
