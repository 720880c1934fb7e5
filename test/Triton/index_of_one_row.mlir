// The only element of a tile names a row.
// RUN: heddle run %s --device=sim --grid=4 --scalars=C=50 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4 --scalars=C=50 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @index(%ix: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %C: i32) {
    %cst = arith.constant dense<0.000000e+00> : tensor<1x64xf32>
    %r = tt.get_program_id x : i32
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tt.addptr %ix, %r : !tt.ptr<i64>, i32
    %rows_0 = tt.splat %rows : !tt.ptr<i64> -> tensor<1x!tt.ptr<i64>>
    %rows_1 = tt.load %rows_0 : tensor<1x!tt.ptr<i64>>
    %0 = tt.splat %C : i32 -> tensor<64xi32>
    %1 = arith.cmpi slt, %c, %0 : tensor<64xi32>
    %2 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %3 = arith.muli %r, %C : i32
    %4 = tt.addptr %o, %3 : !tt.ptr<f32>, i32
    %5 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.splat %4 : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
    %7 = tt.addptr %6, %5 : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    %8 = tt.expand_dims %rows_1 {axis = 1 : i32} : tensor<1xi64> -> tensor<1x1xi64>
    %9 = arith.extsi %C : i32 to i64
    %10 = tt.splat %9 : i64 -> tensor<1x1xi64>
    %11 = arith.muli %8, %10 : tensor<1x1xi64>
    %12 = tt.splat %x : !tt.ptr<f32> -> tensor<1x1x!tt.ptr<f32>>
    %13 = tt.addptr %12, %11 : tensor<1x1x!tt.ptr<f32>>, tensor<1x1xi64>
    %14 = tt.broadcast %13 : tensor<1x1x!tt.ptr<f32>> -> tensor<1x64x!tt.ptr<f32>>
    %15 = tt.addptr %14, %5 : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    %16 = tt.load %15, %2, %cst : tensor<1x64x!tt.ptr<f32>>
    tt.store %7, %16, %2 : tensor<1x64x!tt.ptr<f32>>
    tt.return
  }
}
