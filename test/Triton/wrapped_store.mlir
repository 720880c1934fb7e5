// Threads that store one value to one element, in any order.
// RUN: heddle run %s --device=sim --grid=1 --scalars=N=40 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=N=40 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @wrapped(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %N: i32) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_0 = tt.splat %N : i32 -> tensor<64xi32>
    %i_1 = arith.remsi %i, %i_0 : tensor<64xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_1 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %2 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i_1 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %4 = tt.load %3 : tensor<64x!tt.ptr<f32>>
    tt.store %1, %4 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
