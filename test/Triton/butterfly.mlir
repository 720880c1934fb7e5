// Halves of rows, added and subtracted and put together: parts of tiles that were converted to another layout.
// RUN: heddle run %s --device=sim --grid=1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @butterfly(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}) {
    %p = arith.constant dense<64> : tensor<16x1xi32>
    %p_0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %p_1 = tt.expand_dims %p_0 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %p_2 = arith.muli %p_1, %p : tensor<16x1xi32>
    %p_3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %p_4 = tt.expand_dims %p_3 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %p_5 = tt.broadcast %p_2 : tensor<16x1xi32> -> tensor<16x64xi32>
    %p_6 = tt.broadcast %p_4 : tensor<1x64xi32> -> tensor<16x64xi32>
    %p_7 = arith.addi %p_5, %p_6 : tensor<16x64xi32>
    %v = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %v_8 = tt.addptr %v, %p_7 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %v_9 = tt.load %v_8 : tensor<16x64x!tt.ptr<f32>>
    %v_10 = tt.reshape %v_9 : tensor<16x64xf32> -> tensor<16x2x32xf32>
    %v_11 = tt.trans %v_10 {order = array<i32: 0, 2, 1>} : tensor<16x2x32xf32> -> tensor<16x32x2xf32>
    %outLHS, %outRHS = tt.split %v_11 : tensor<16x32x2xf32> -> tensor<16x32xf32>
    %v_12 = arith.addf %outLHS, %outRHS : tensor<16x32xf32>
    %v_13 = arith.subf %outLHS, %outRHS : tensor<16x32xf32>
    %v_14 = tt.join %v_12, %v_13 : tensor<16x32xf32> -> tensor<16x32x2xf32>
    %v_15 = tt.trans %v_14 {order = array<i32: 0, 2, 1>} : tensor<16x32x2xf32> -> tensor<16x2x32xf32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %p_7 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %2 = tt.reshape %v_15 : tensor<16x2x32xf32> -> tensor<16x64xf32>
    tt.store %1, %2 : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
