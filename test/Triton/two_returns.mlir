// Two early returns in a row: both branch to one block, which only returns.
// RUN: heddle run %s --device=sim --grid=3,2 --scalars=T=40 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @two_returns(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %T: i32) {
    %cst = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %c4_i32 = arith.constant 4 : i32
    %c16_i32 = arith.constant 16 : i32
    %i = tt.get_program_id x : i32
    %j = tt.get_program_id y : i32
    %0 = arith.muli %i, %c16_i32 : i32
    %1 = arith.cmpi sge, %0, %T : i32
    cf.cond_br %1, ^bb1, ^bb2
  ^bb1:  // 2 preds: ^bb0, ^bb2
    tt.return
  ^bb2:  // pred: ^bb0
    %2 = arith.cmpi sle, %i, %j : i32
    cf.cond_br %2, ^bb1, ^bb3
  ^bb3:  // pred: ^bb2
    %o = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %acc = scf.for %k = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%acc_0 = %cst) -> (tensor<16xf32>)  : i32 {
      %acc_1 = tt.addptr %X, %0 : !tt.ptr<f32>, i32
      %acc_2 = tt.splat %acc_1 : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      %acc_3 = tt.addptr %acc_2, %o : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      %acc_4 = arith.muli %k, %c64_i32 : i32
      %acc_5 = tt.splat %acc_4 : i32 -> tensor<16xi32>
      %acc_6 = tt.addptr %acc_3, %acc_5 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      %acc_7 = tt.load %acc_6 : tensor<16x!tt.ptr<f32>>
      %acc_8 = arith.addf %acc_0, %acc_7 : tensor<16xf32>
      scf.yield %acc_8 : tensor<16xf32>
    }
    %3 = arith.muli %i, %c4_i32 : i32
    %4 = arith.addi %3, %j : i32
    %5 = arith.muli %4, %c16_i32 : i32
    %6 = tt.addptr %O, %5 : !tt.ptr<f32>, i32
    %7 = tt.splat %6 : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %8 = tt.addptr %7, %o : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    tt.store %8, %acc : tensor<16x!tt.ptr<f32>>
    tt.return
  }
}
