// The sign of a number, also of zero.
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
    %5 = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %6 = tt.addptr %5, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %6, %4 : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
