// Rows from the last one to the first: the view begins where the tensor does, not at the last row.
// RUN: heddle run %s --device=sim --grid=1 --scalars=S=50,N=9 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=S=50,N=9 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @descending(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %N: i32, %S: i32) {
    %c-1_i32 = arith.constant -1 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %cst_0 = arith.constant dense<5.000000e-01> : tensor<64xf32>
    %c1_i32 = arith.constant 1 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = tt.splat %S : i32 -> tensor<64xi32>
    %m_1 = arith.cmpi slt, %i, %m : tensor<64xi32>
    %0 = arith.subi %N, %c1_i32 : i32
    %s = scf.for %arg4 = %c-1_i32 to %0 step %c1_i32 iter_args(%s_2 = %cst) -> (tensor<64xf32>)  : i32 {
      %s_3 = arith.subi %0, %arg4 : i32
      %j = arith.addi %s_3, %c-1_i32 : i32
      %s_4 = arith.mulf %s_2, %cst_0 : tensor<64xf32>
      %s_5 = arith.muli %j, %S : i32
      %s_6 = tt.addptr %x, %s_5 : !tt.ptr<f32>, i32
      %s_7 = tt.splat %s_6 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %s_8 = tt.addptr %s_7, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %s_9 = tt.load %s_8, %m_1, %cst : tensor<64x!tt.ptr<f32>>
      %s_10 = arith.addf %s_4, %s_9 : tensor<64xf32>
      %1 = tt.addptr %o, %s_5 : !tt.ptr<f32>, i32
      %2 = tt.splat %1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %3 = tt.addptr %2, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      tt.store %3, %s_10, %m_1 : tensor<64x!tt.ptr<f32>>
      scf.yield %s_10 : tensor<64xf32>
    }
    tt.return
  }
}
