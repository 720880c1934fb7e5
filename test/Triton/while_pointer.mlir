// A loop of scf.while that counts, and carries a pointer that its iterations move.
// RUN: heddle run %s --device=sim --grid=3 --scalars=K=150 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=K=150 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @walk(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %K: i32) {
    %cst = arith.constant dense<64> : tensor<64xi32>
    %c64_i32 = arith.constant 64 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %s = arith.constant 0 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %p = tt.get_program_id x : i32
    %p_1 = arith.muli %p, %K : i32
    %p_2 = tt.addptr %a, %p_1 : !tt.ptr<f32>, i32
    %p_3 = tt.splat %p_2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p_4 = tt.addptr %p_3, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %s_5:3 = scf.while (%p_6 = %p_4, %acc = %cst_0, %s_7 = %s) : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i32) ->
      (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i32) {
      %4 = arith.cmpi slt, %s_7, %K : i32
      scf.condition(%4) %p_6, %acc, %s_7 : tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i32
    } do {
    ^bb0(%p_6: tensor<64x!tt.ptr<f32>> loc("p"), %acc: tensor<64xf32> loc("acc"), %s_7: i32 loc("s")):
      %acc_8 = tt.splat %s_7 : i32 -> tensor<64xi32>
      %acc_9 = arith.addi %acc_8, %i : tensor<64xi32>
      %acc_10 = tt.splat %K : i32 -> tensor<64xi32>
      %acc_11 = arith.cmpi slt, %acc_9, %acc_10 : tensor<64xi32>
      %acc_12 = tt.load %p_6, %acc_11, %cst_0 : tensor<64x!tt.ptr<f32>>
      %acc_13 = arith.addf %acc, %acc_12 : tensor<64xf32>
      %p_14 = tt.addptr %p_6, %cst : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %s_15 = arith.addi %s_7, %c64_i32 : i32
      scf.yield %p_14, %acc_13, %s_15 : tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i32
    }
    %0 = arith.muli %p, %c64_i32 : i32
    %1 = tt.addptr %o, %0 : !tt.ptr<f32>, i32
    %2 = tt.splat %1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %3, %s_5#1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
