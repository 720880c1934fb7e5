// A loop over a row of a sparse matrix: blocks that share a multiprocessor hide what its loads take. To keep a unit of
// one block busy took 94 stages, whose tiles filled the registers, and a row of fewer iterations overlapped none.
// RUN: heddle compile %s -o %t | FileCheck %s
// CHECK: optimal; {{[0-9]}} stages
module {
  tt.func public @row_of_sparse_matrix(%rp: !tt.ptr<i32>, %ci: !tt.ptr<i32>, %v: !tt.ptr<f32>, %x: !tt.ptr<f32>,
      %y: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c32_i32 = arith.constant 32 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %cst_0 = arith.constant dense<0> : tensor<32xi32>
    %e = arith.constant 1 : i32
    %row = tt.get_program_id x : i32
    %s = tt.addptr %rp, %row : !tt.ptr<i32>, i32
    %s_1 = tt.load %s : !tt.ptr<i32>
    %e_2 = tt.addptr %s, %e : !tt.ptr<i32>, i32
    %e_3 = tt.load %e_2 : !tt.ptr<i32>
    %acc = scf.for %k = %s_1 to %e_3 step %c32_i32 iter_args(%acc_4 = %cst) -> (tensor<32xf32>)  : i32 {
      %o = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %o_5 = tt.splat %k : i32 -> tensor<32xi32>
      %o_6 = arith.addi %o_5, %o : tensor<32xi32>
      %m = tt.splat %e_3 : i32 -> tensor<32xi32>
      %m_7 = arith.cmpi slt, %o_6, %m : tensor<32xi32>
      %c = tt.splat %ci : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
      %c_8 = tt.addptr %c, %o_6 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
      %c_9 = tt.load %c_8, %m_7, %cst_0 : tensor<32x!tt.ptr<i32>>
      %a = tt.splat %v : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %a_10 = tt.addptr %a, %o_6 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %a_11 = tt.load %a_10, %m_7, %cst : tensor<32x!tt.ptr<f32>>
      %acc_12 = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %acc_13 = tt.addptr %acc_12, %c_9 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %acc_14 = tt.load %acc_13, %m_7, %cst : tensor<32x!tt.ptr<f32>>
      %acc_15 = arith.mulf %a_11, %acc_14 : tensor<32xf32>
      %acc_16 = arith.addf %acc_4, %acc_15 : tensor<32xf32>
      scf.yield %acc_16 : tensor<32xf32>
    }
    %0 = tt.addptr %y, %row : !tt.ptr<f32>, i32
    %1 = tt.reshape %acc allow_reorder : tensor<32xf32> -> tensor<32xf32>
    %2 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      %3 = arith.addf %arg6, %arg7 : f32
      tt.reduce.return %3 : f32
    }) : (tensor<32xf32>) -> f32
    tt.store %0, %2 : !tt.ptr<f32>
    tt.return
  }
}
