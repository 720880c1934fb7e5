// A single element beyond the sizes that masks of other accesses state: an error that says what to do.
// RUN: not heddle run %s --device=sim --grid=4 --scalars=N=4,D=10,V=16 2>&1 | FileCheck %s
// CHECK: error: the view 'Y' is wrong at lane [] of program (0, 0, 0):
// CHECK-SAME: the mask has an element that it excludes: a single element is taken to lie
// CHECK-SAME: inside of the sizes that masks of other accesses of this argument state;
// CHECK-SAME: let these masks reach as far as the memory, or store the element with a tile
module {
  tt.func public @k_scatter2(%X: !tt.ptr<i64> {tt.divisibility = 16 : i32},
        %I: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32,
        %D: i32, %V: i32 {tt.divisibility = 16 : i32}) {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %r = tt.get_program_id x : i32
    %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %0 = tt.splat %D : i32 -> tensor<16xi32>
    %1 = arith.cmpi slt, %c, %0 : tensor<16xi32>
    %2 = arith.muli %r, %V : i32
    %3 = tt.addptr %Y, %2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %5 = tt.addptr %4, %c : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    tt.store %5, %cst_0, %1 : tensor<16x!tt.ptr<f32>>
    %t = tt.addptr %I, %r : !tt.ptr<i64>, i32
    %t_1 = tt.load %t : !tt.ptr<i64>
    gpu.barrier
    %6 = tt.addptr %3, %t_1 : !tt.ptr<f32>, i64
    tt.store %6, %cst : !tt.ptr<f32>
    tt.return
  }
}
