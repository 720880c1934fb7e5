// Functions of CUDA's library that no operation of MLIR has: the emitted text calls CUDA's own, and the simulator
// executes what they mean. Functions of bits are operations of MLIR.
// RUN: heddle run %s --device=sim --grid=1 --input 'x=normal(0,3)' --input 'u=uniform(-1,1)' --input 'd=normal(0,9)' \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input 'x=normal(0,3)' --input 'u=uniform(-1,1)' \
// RUN:   --input 'd=normal(0,9)' | FileCheck %s
// RUN: not heddle run %s --device=sim --grid=1 --input 'x=const(0.0)' --input 'u=const(-1.0)' --input 'd=const(0.0)' \
// RUN:   --input 'n=const(0)' --input 'w=const(-1)' 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: not heddle run %s --device=emulate --interleavings=1 --grid=1 --input 'x=const(0.0)' --input 'u=const(-1.0)' \
// RUN:   --input 'd=const(0.0)' --input 'n=const(0)' --input 'w=const(-1)' 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input 'x=uniform(30,60)' \
// RUN:   --input 'u=uniform(0.99,1)' --input 'd=uniform(-9,-8)' --input 'n=integers(-1000,1000)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// ENDS: nothing proved: 256 of 960 elements are not finite
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA-DAG: ::hypotf(
// CUDA-DAG: ::lgammaf(
// CUDA-DAG: ::erfinvf(
// CUDA-DAG: ::nextafterf(
// CUDA-DAG: ::cyl_bessel_i0f(
// CUDA-DAG: ::hypot(
// CUDA-DAG: ::lgamma(
// CUDA-DAG: ::erfinv(
// CUDA-DAG: ::cyl_bessel_i0(
// CUDA-DAG: __popc(
// CUDA-DAG: __clz(
// CUDA-DAG: __ffs(
// CUDA-DAG: __popcll(
module {
  tt.func public @functions(%x: !tt.ptr<f32>, %u: !tt.ptr<f32>, %d: !tt.ptr<f64>, %n: !tt.ptr<i32>, %w: !tt.ptr<i64>,
                            %y: !tt.ptr<f32>, %z: !tt.ptr<f64>, %b: !tt.ptr<i32>) {
    %l = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %us = tt.splat %u : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %up = tt.addptr %us, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %ds = tt.splat %d : !tt.ptr<f64> -> tensor<64x!tt.ptr<f64>>
    %dp = tt.addptr %ds, %l : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    %ns = tt.splat %n : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %np = tt.addptr %ns, %l : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %ws = tt.splat %w : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %wp = tt.addptr %ws, %l : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %zs = tt.splat %z : !tt.ptr<f64> -> tensor<64x!tt.ptr<f64>>
    %zp = tt.addptr %zs, %l : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    %bs = tt.splat %b : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %bp = tt.addptr %bs, %l : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %xv = tt.load %xp : tensor<64x!tt.ptr<f32>>
    %uv = tt.load %up : tensor<64x!tt.ptr<f32>>
    %dv = tt.load %dp : tensor<64x!tt.ptr<f64>>
    %nv = tt.load %np : tensor<64x!tt.ptr<i32>>
    %wv = tt.load %wp : tensor<64x!tt.ptr<i64>>
    %f1 = tt.extern_elementwise %xv, %uv {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} :
        (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %f2 = tt.extern_elementwise %xv {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} :
        (tensor<64xf32>) -> tensor<64xf32>
    %f3 = tt.extern_elementwise %uv {libname = "", libpath = "", pure = true, symbol = "__nv_erfinvf"} :
        (tensor<64xf32>) -> tensor<64xf32>
    %f4 = tt.extern_elementwise %xv, %uv {libname = "", libpath = "", pure = true, symbol = "__nv_nextafterf"} :
        (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %f5 = tt.extern_elementwise %xv {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i0f"} :
        (tensor<64xf32>) -> tensor<64xf32>
    tt.store %yp, %f1 : tensor<64x!tt.ptr<f32>>
    %o2 = arith.constant dense<64> : tensor<64xi32>
    %q2 = tt.addptr %yp, %o2 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %q2, %f2 : tensor<64x!tt.ptr<f32>>
    %o3 = arith.constant dense<128> : tensor<64xi32>
    %q3 = tt.addptr %yp, %o3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %q3, %f3 : tensor<64x!tt.ptr<f32>>
    %o4 = arith.constant dense<192> : tensor<64xi32>
    %q4 = tt.addptr %yp, %o4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %q4, %f4 : tensor<64x!tt.ptr<f32>>
    %o5 = arith.constant dense<256> : tensor<64xi32>
    %q5 = tt.addptr %yp, %o5 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %q5, %f5 : tensor<64x!tt.ptr<f32>>
    %f6 = tt.extern_elementwise %dv, %dv {libname = "", libpath = "", pure = true, symbol = "__nv_hypot"} :
        (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
    %f7 = tt.extern_elementwise %dv {libname = "", libpath = "", pure = true, symbol = "__nv_lgamma"} :
        (tensor<64xf64>) -> tensor<64xf64>
    %f8 = tt.extern_elementwise %dv {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i0"} :
        (tensor<64xf64>) -> tensor<64xf64>
    %ud = arith.extf %uv : tensor<64xf32> to tensor<64xf64>
    %f9 = tt.extern_elementwise %ud {libname = "", libpath = "", pure = true, symbol = "__nv_erfinv"} :
        (tensor<64xf64>) -> tensor<64xf64>
    tt.store %zp, %f6 : tensor<64x!tt.ptr<f64>>
    %o7 = arith.constant dense<64> : tensor<64xi32>
    %q7 = tt.addptr %zp, %o7 : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    tt.store %q7, %f7 : tensor<64x!tt.ptr<f64>>
    %o8 = arith.constant dense<128> : tensor<64xi32>
    %q8 = tt.addptr %zp, %o8 : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    tt.store %q8, %f8 : tensor<64x!tt.ptr<f64>>
    %o9 = arith.constant dense<192> : tensor<64xi32>
    %q9 = tt.addptr %zp, %o9 : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    tt.store %q9, %f9 : tensor<64x!tt.ptr<f64>>
    %f10 = tt.extern_elementwise %nv {libname = "", libpath = "", pure = true, symbol = "__nv_popc"} :
        (tensor<64xi32>) -> tensor<64xi32>
    %f11 = tt.extern_elementwise %nv {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} :
        (tensor<64xi32>) -> tensor<64xi32>
    %f12 = tt.extern_elementwise %nv {libname = "", libpath = "", pure = true, symbol = "__nv_ffs"} :
        (tensor<64xi32>) -> tensor<64xi32>
    %f13 = tt.extern_elementwise %wv {libname = "", libpath = "", pure = true, symbol = "__nv_popcll"} :
        (tensor<64xi64>) -> tensor<64xi32>
    %f14 = tt.extern_elementwise %wv {libname = "", libpath = "", pure = true, symbol = "__nv_clzll"} :
        (tensor<64xi64>) -> tensor<64xi32>
    %f15 = tt.extern_elementwise %wv {libname = "", libpath = "", pure = true, symbol = "__nv_ffsll"} :
        (tensor<64xi64>) -> tensor<64xi32>
    tt.store %bp, %f10 : tensor<64x!tt.ptr<i32>>
    %o11 = arith.constant dense<64> : tensor<64xi32>
    %q11 = tt.addptr %bp, %o11 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q11, %f11 : tensor<64x!tt.ptr<i32>>
    %o12 = arith.constant dense<128> : tensor<64xi32>
    %q12 = tt.addptr %bp, %o12 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q12, %f12 : tensor<64x!tt.ptr<i32>>
    %o13 = arith.constant dense<192> : tensor<64xi32>
    %q13 = tt.addptr %bp, %o13 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q13, %f13 : tensor<64x!tt.ptr<i32>>
    %o14 = arith.constant dense<256> : tensor<64xi32>
    %q14 = tt.addptr %bp, %o14 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q14, %f14 : tensor<64x!tt.ptr<i32>>
    %o15 = arith.constant dense<320> : tensor<64xi32>
    %q15 = tt.addptr %bp, %o15 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q15, %f15 : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
