// A tile of one element whose place memory names, in 64 bits.
// RUN: heddle run %s --device=sim --grid=3 --scalars=C=10,N=3 --input "t=integers(0,9)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=C=10,N=3 --input "t=integers(0,9)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @loss_of_one(%t: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32, %C: i32) {
    %cst = arith.constant 0.000000e+00 : f32
    %i = tt.get_program_id x : i32
    %m = arith.cmpi slt, %i, %N : i32
    %m_0 = tt.splat %m : i1 -> tensor<1xi1>
    %y = tt.addptr %t, %i : !tt.ptr<i64>, i32
    %y_1 = tt.splat %y : !tt.ptr<i64> -> tensor<1x!tt.ptr<i64>>
    %y_2 = tt.load %y_1, %m_0 : tensor<1x!tt.ptr<i64>>
    %v = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
    %v_3 = tt.addptr %v, %y_2 : tensor<1x!tt.ptr<f32>>, tensor<1xi64>
    %v_4 = arith.muli %C, %i : i32
    %v_5 = tt.splat %v_4 : i32 -> tensor<1xi32>
    %v_6 = tt.addptr %v_3, %v_5 : tensor<1x!tt.ptr<f32>>, tensor<1xi32>
    %v_7 = tt.load %v_6, %m_0 : tensor<1x!tt.ptr<f32>>
    %0 = tt.addptr %o, %i : !tt.ptr<f32>, i32
    %1 = tt.reshape %v_7 allow_reorder : tensor<1xf32> -> tensor<1xf32>
    %2 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%arg5: f32, %arg6: f32):
      %6 = arith.addf %arg5, %arg6 : f32
      tt.reduce.return %6 : f32
    }) : (tensor<1xf32>) -> f32
    %3 = arith.subf %cst, %2 : f32
    %4 = arith.sitofp %N : i32 to f32
    %5 = arith.divf %3, %4 : f32
    tt.store %0, %5 : !tt.ptr<f32>
    tt.return
  }
}
