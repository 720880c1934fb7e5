// Rows that a tile names, counted back from a constant.
// RUN: heddle run %s --device=sim --grid=1 --scalars=D=50 --input ix=arange | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=D=50 --input ix=arange | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @reversed_rows(%ix: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility =
      16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %D: i32) {
    %cst = arith.constant dense<19> : tensor<16xi64>
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tt.splat %ix : !tt.ptr<i64> -> tensor<16x!tt.ptr<i64>>
    %rows_0 = tt.addptr %rows, %r : tensor<16x!tt.ptr<i64>>, tensor<16xi32>
    %rows_1 = tt.load %rows_0 : tensor<16x!tt.ptr<i64>>
    %0 = tt.splat %D : i32 -> tensor<64xi32>
    %1 = arith.cmpi slt, %c, %0 : tensor<64xi32>
    %2 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %3 = arith.subi %cst, %rows_1 : tensor<16xi64>
    %4 = tt.expand_dims %3 {axis = 1 : i32} : tensor<16xi64> -> tensor<16x1xi64>
    %5 = arith.extsi %D : i32 to i64
    %6 = tt.splat %5 : i64 -> tensor<16x1xi64>
    %7 = arith.muli %4, %6 : tensor<16x1xi64>
    %8 = tt.splat %o : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %9 = tt.addptr %8, %7 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi64>
    %10 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tt.broadcast %9 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x64x!tt.ptr<f32>>
    %12 = tt.broadcast %10 : tensor<1x64xi32> -> tensor<16x64xi32>
    %13 = tt.addptr %11, %12 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %14 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %15 = tt.splat %D : i32 -> tensor<16x1xi32>
    %16 = arith.muli %14, %15 : tensor<16x1xi32>
    %17 = tt.splat %x : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %18 = tt.addptr %17, %16 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %19 = tt.broadcast %18 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x64x!tt.ptr<f32>>
    %20 = tt.addptr %19, %12 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %21 = tt.broadcast %2 : tensor<1x64xi1> -> tensor<16x64xi1>
    %22 = tt.load %20, %21 : tensor<16x64x!tt.ptr<f32>>
    tt.store %13, %22, %21 : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
