// Rows that descend by an argument's stride are reached element by element.
// RUN: heddle run %s --device=sim --grid=2 --scalars=S=64 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=S=64 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @reversed_by_stride(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>
      {tt.divisibility = 16 : i32}, %S: i32 {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<15> : tensor<16xi32>
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %1 = tt.splat %S : i32 -> tensor<16x1xi32>
    %2 = arith.muli %0, %1 : tensor<16x1xi32>
    %3 = tt.splat %o : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %4 = tt.addptr %3, %2 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %5 = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.broadcast %4 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x64x!tt.ptr<f32>>
    %7 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<16x64xi32>
    %8 = tt.addptr %6, %7 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %9 = arith.subi %cst, %r : tensor<16xi32>
    %10 = tt.expand_dims %9 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %11 = arith.muli %10, %1 : tensor<16x1xi32>
    %12 = tt.splat %x : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %13 = tt.addptr %12, %11 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %14 = tt.broadcast %13 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x64x!tt.ptr<f32>>
    %15 = tt.addptr %14, %7 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %16 = tt.load %15 : tensor<16x64x!tt.ptr<f32>>
    tt.store %8, %16 : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
