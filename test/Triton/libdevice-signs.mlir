// The sign of a number, also of zero, and numbers rounded to integers.
// RUN: heddle run %s --device=sim --grid=1 --input "x=normal(0,1)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input "x=const(-0.0)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @signs(%x: !tt.ptr<f32>, %o: !tt.ptr<i32>) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %2 = tt.load %1 : tensor<64x!tt.ptr<f32>>
    %3 = tt.extern_elementwise %2 {libname = "", libpath = "", pure = true, symbol = "__nv_signbitf"}
           : (tensor<64xf32>) -> tensor<64xi32>
    %c2 = arith.constant dense<2> : tensor<64xi32>
    %4 = arith.addi %3, %c2 : tensor<64xi32>
    %f8 = arith.constant dense<8.000000e+00> : tensor<64xf32>
    %x8 = arith.mulf %2, %f8 : tensor<64xf32>
    %r0 = tt.extern_elementwise %x8 {libname = "", libpath = "", pure = true, symbol = "__nv_llrintf"}
            : (tensor<64xf32>) -> tensor<64xi64>
    %r1 = tt.extern_elementwise %x8 {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rd"}
            : (tensor<64xf32>) -> tensor<64xi32>
    %r2 = arith.trunci %r0 : tensor<64xi64> to tensor<64xi32>
    %r3 = arith.addi %r1, %r2 : tensor<64xi32>
    %r4 = arith.addi %r3, %4 : tensor<64xi32>
    %5 = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %6 = tt.addptr %5, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %6, %r4 : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
