// A loop moves a pointer by amounts that memory gives: it carries how far.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=5 --input "ix=integers(0,4)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=n=5 --input "ix=integers(0,4)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @jumps(%ix: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %acc = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p_0 = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %acc_1:2 = scf.for %s = %c0_i32 to %n step %c1_i32 iter_args(%p_2 = %p_0, %acc_3 = %acc) ->
      (tensor<64x!tt.ptr<f32>>, tensor<64xf32>)  : i32 {
      %acc_4 = tt.load %p_2 : tensor<64x!tt.ptr<f32>>
      %acc_5 = arith.addf %acc_3, %acc_4 : tensor<64xf32>
      %p_6 = tt.addptr %ix, %s : !tt.ptr<i32>, i32
      %p_7 = tt.load %p_6 : !tt.ptr<i32>
      %p_8 = arith.muli %p_7, %c64_i32 : i32
      %p_9 = tt.splat %p_8 : i32 -> tensor<64xi32>
      %p_10 = tt.addptr %p_2, %p_9 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %p_10, %acc_5 : tensor<64x!tt.ptr<f32>>, tensor<64xf32>
    }
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %1, %acc_1#1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
