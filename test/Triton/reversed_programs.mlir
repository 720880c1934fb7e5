// Programs that store from the end: what they go back from is no beginning of a view.
// RUN: heddle run %s --device=sim --grid=9 --scalars=N=9 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=9 --scalars=N=9 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @reversed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %N: i32) {
    %c64_i32 = arith.constant 64 : i32
    %c1_i32 = arith.constant 1 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = arith.subi %N, %c1_i32 : i32
    %1 = tt.get_program_id x : i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.muli %2, %c64_i32 : i32
    %4 = tt.addptr %o, %3 : !tt.ptr<f32>, i32
    %5 = tt.splat %4 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %5, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %7 = arith.muli %1, %c64_i32 : i32
    %8 = tt.addptr %x, %7 : !tt.ptr<f32>, i32
    %9 = tt.splat %8 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %10 = tt.addptr %9, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %11 = tt.load %10 : tensor<64x!tt.ptr<f32>>
    tt.store %6, %11 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
