// Functions of CUDA's library, in floats and doubles: each is the operation of MLIR that means the same.
// RUN: heddle run %s --device=sim --grid=1 --input 'x=uniform(0.1,0.9)' --input 'd=uniform(0.1,0.9)' \
// RUN:   --input 'n=arange(-3,1)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input 'x=uniform(0.1,0.9)' \
// RUN:   --input 'd=uniform(0.1,0.9)' --input 'n=arange(-3,1)' | FileCheck %s
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: math.fpowi
// TILE: math.isnan
module {
  tt.func public @functions(%x: !tt.ptr<f32>, %d: !tt.ptr<f64>, %n: !tt.ptr<i32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f64>) {
    %l = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %half = arith.constant dense<0.5> : tensor<8xf32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %l : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %ds = tt.splat %d : !tt.ptr<f64> -> tensor<8x!tt.ptr<f64>>
    %dp = tt.addptr %ds, %l : tensor<8x!tt.ptr<f64>>, tensor<8xi32>
    %ns = tt.splat %n : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %np = tt.addptr %ns, %l : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %l : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %zs = tt.splat %z : !tt.ptr<f64> -> tensor<8x!tt.ptr<f64>>
    %zp = tt.addptr %zs, %l : tensor<8x!tt.ptr<f64>>, tensor<8xi32>
    %xs0 = tt.load %xp : tensor<8x!tt.ptr<f32>>
    %ds0 = tt.load %dp : tensor<8x!tt.ptr<f64>>
    %ns0 = tt.load %np : tensor<8x!tt.ptr<i32>>
    %above = arith.addf %xs0, %one : tensor<8xf32>
    %f1 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s1 = arith.addf %one, %f1 : tensor<8xf32>
    %f2 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp2f"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s2 = arith.addf %s1, %f2 : tensor<8xf32>
    %f3 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_expm1f"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s3 = arith.addf %s2, %f3 : tensor<8xf32>
    %f4 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_logf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s4 = arith.addf %s3, %f4 : tensor<8xf32>
    %f5 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_log2f"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s5 = arith.addf %s4, %f5 : tensor<8xf32>
    %f6 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_log10f"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s6 = arith.addf %s5, %f6 : tensor<8xf32>
    %f7 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_log1pf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s7 = arith.addf %s6, %f7 : tensor<8xf32>
    %f8 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_sqrtf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s8 = arith.addf %s7, %f8 : tensor<8xf32>
    %f9 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_rsqrtf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s9 = arith.addf %s8, %f9 : tensor<8xf32>
    %f10 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_cbrtf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s10 = arith.addf %s9, %f10 : tensor<8xf32>
    %f11 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_erff"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s11 = arith.addf %s10, %f11 : tensor<8xf32>
    %f12 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfcf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s12 = arith.addf %s11, %f12 : tensor<8xf32>
    %f13 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s13 = arith.addf %s12, %f13 : tensor<8xf32>
    %f14 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_cosf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s14 = arith.addf %s13, %f14 : tensor<8xf32>
    %f15 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s15 = arith.addf %s14, %f15 : tensor<8xf32>
    %f16 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_asinf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s16 = arith.addf %s15, %f16 : tensor<8xf32>
    %f17 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_acosf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s17 = arith.addf %s16, %f17 : tensor<8xf32>
    %f18 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_atanf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s18 = arith.addf %s17, %f18 : tensor<8xf32>
    %f19 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinhf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s19 = arith.addf %s18, %f19 : tensor<8xf32>
    %f20 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_coshf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s20 = arith.addf %s19, %f20 : tensor<8xf32>
    %f21 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s21 = arith.addf %s20, %f21 : tensor<8xf32>
    %f22 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_asinhf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s22 = arith.addf %s21, %f22 : tensor<8xf32>
    %f23 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_atanhf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s23 = arith.addf %s22, %f23 : tensor<8xf32>
    %f24 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_fabsf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s24 = arith.addf %s23, %f24 : tensor<8xf32>
    %f25 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_floorf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s25 = arith.addf %s24, %f25 : tensor<8xf32>
    %f26 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_ceilf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s26 = arith.addf %s25, %f26 : tensor<8xf32>
    %f27 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_truncf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s27 = arith.addf %s26, %f27 : tensor<8xf32>
    %f28 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_roundf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s28 = arith.addf %s27, %f28 : tensor<8xf32>
    %f29 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_rintf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s29 = arith.addf %s28, %f29 : tensor<8xf32>
    %f30 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_nearbyintf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s30 = arith.addf %s29, %f30 : tensor<8xf32>
    %f31 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s31 = arith.addf %s30, %f31 : tensor<8xf32>
    %f32 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_logf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s32 = arith.addf %s31, %f32 : tensor<8xf32>
    %f33 = tt.extern_elementwise %above {libname = "", libpath = "", pure = true, symbol = "__nv_acoshf"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s33 = arith.addf %s32, %f33 : tensor<8xf32>
    %f34 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s34 = arith.addf %s33, %f34 : tensor<8xf32>
    %f35 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_atan2f"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s35 = arith.addf %s34, %f35 : tensor<8xf32>
    %f36 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_copysignf"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s36 = arith.addf %s35, %f36 : tensor<8xf32>
    %f37 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_fmodf"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s37 = arith.addf %s36, %f37 : tensor<8xf32>
    %f38 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_fmaxf"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s38 = arith.addf %s37, %f38 : tensor<8xf32>
    %f39 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_fminf"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s39 = arith.addf %s38, %f39 : tensor<8xf32>
    %f40 = tt.extern_elementwise %xs0, %half {libname = "", libpath = "", pure = true, symbol = "__nv_fast_fdividef"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s40 = arith.addf %s39, %f40 : tensor<8xf32>
    %f41 = tt.extern_elementwise %xs0, %half, %above {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf"} :
        (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s41 = arith.addf %s40, %f41 : tensor<8xf32>
    %f42 = tt.extern_elementwise %xs0, %ns0 {libname = "", libpath = "", pure = true, symbol = "__nv_powif"} :
        (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
    %s42 = arith.addf %s41, %f42 : tensor<8xf32>
    %f43 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} :
        (tensor<8xf32>) -> tensor<8xi32>
    %b43 = arith.sitofp %f43 : tensor<8xi32> to tensor<8xf32>
    %s43 = arith.addf %s42, %b43 : tensor<8xf32>
    %f44 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} :
        (tensor<8xf32>) -> tensor<8xi32>
    %b44 = arith.sitofp %f44 : tensor<8xi32> to tensor<8xf32>
    %s44 = arith.addf %s43, %b44 : tensor<8xf32>
    %f45 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_finitef"} :
        (tensor<8xf32>) -> tensor<8xi32>
    %b45 = arith.sitofp %f45 : tensor<8xi32> to tensor<8xf32>
    %s45 = arith.addf %s44, %b45 : tensor<8xf32>
    %f55 = tt.extern_elementwise %xs0, %above {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rn"} :
        (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s55 = arith.addf %s45, %f55 : tensor<8xf32>
    %f56 = tt.extern_elementwise %xs0 {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_rn"} :
        (tensor<8xf32>) -> tensor<8xf32>
    %s56 = arith.addf %s55, %f56 : tensor<8xf32>
    %f57 = tt.extern_elementwise %xs0, %above, %one {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf_rn"} :
        (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s57 = arith.addf %s56, %f57 : tensor<8xf32>
    tt.store %yp, %s57 : tensor<8x!tt.ptr<f32>>
    %f46 = tt.extern_elementwise %ds0 {libname = "", libpath = "", pure = true, symbol = "__nv_erf"} :
        (tensor<8xf64>) -> tensor<8xf64>
    %s46 = arith.addf %ds0, %f46 : tensor<8xf64>
    %f47 = tt.extern_elementwise %ds0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp"} :
        (tensor<8xf64>) -> tensor<8xf64>
    %s47 = arith.addf %s46, %f47 : tensor<8xf64>
    %f48 = tt.extern_elementwise %ds0, %ds0 {libname = "", libpath = "", pure = true, symbol = "__nv_pow"} :
        (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    %s48 = arith.addf %s47, %f48 : tensor<8xf64>
    %f49 = tt.extern_elementwise %ds0, %ns0 {libname = "", libpath = "", pure = true, symbol = "__nv_powi"} :
        (tensor<8xf64>, tensor<8xi32>) -> tensor<8xf64>
    %s49 = arith.addf %s48, %f49 : tensor<8xf64>
    %f50 = tt.extern_elementwise %ds0 {libname = "", libpath = "", pure = true, symbol = "__nv_isinfd"} :
        (tensor<8xf64>) -> tensor<8xi32>
    %b50 = arith.sitofp %f50 : tensor<8xi32> to tensor<8xf64>
    %s50 = arith.addf %s49, %b50 : tensor<8xf64>
    tt.store %zp, %s50 : tensor<8x!tt.ptr<f64>>
    tt.return
  }
}
