// The end of each round asks for what its last iteration has loaded, which a loop inside would not hand on: the loop
// stays as it is.
// RUN: heddle compile %s --emit=tile | FileCheck %s
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK: tile.store
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=5 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @other(%a_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32},
      %o_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %c32_i32 = arith.constant 32 : i32
    %c1_i32 = arith.constant 1 : i32
    %c3_i32 = arith.constant 3 : i32
    %c0_i32 = arith.constant 0 : i32
    %ki = arith.constant -1 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %0 = arith.muli %n, %c3_i32 : i32
    %t:3 = scf.for %_ = %c0_i32 to %0 step %c1_i32 iter_args(%ki_0 = %ki, %s = %cst, %t_1 = %c0_i32) -> (i32,
        tensor<32xf32>, i32)  : i32 {
      %ki_2 = arith.subi %n, %c1_i32 : i32
      %ki_3 = arith.cmpi eq, %ki_0, %ki_2 : i32
      %ki_4 = arith.addi %ki_0, %c1_i32 : i32
      %ki_5 = arith.select %ki_3, %c0_i32, %ki_4 : i32
      %v = arith.muli %t_1, %n : i32
      %v_6 = arith.addi %v, %ki_5 : i32
      %v_7 = arith.muli %v_6, %c32_i32 : i32
      %v_8 = tt.addptr %a_ptr, %v_7 : !tt.ptr<f32>, i32
      %v_9 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %v_10 = tt.splat %v_8 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %v_11 = tt.addptr %v_10, %v_9 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %v_12 = tt.load %v_11 : tensor<32x!tt.ptr<f32>>
      %s_13 = arith.addf %s, %v_12 : tensor<32xf32>
      %1 = arith.cmpi eq, %ki_5, %ki_2 : i32
      %2 = arith.select %1, %cst, %s_13 : tensor<32xf32>
      %3 = scf.if %1 -> (i32) {
        %4 = arith.muli %t_1, %c32_i32 : i32
        %5 = tt.addptr %o_ptr, %4 : !tt.ptr<f32>, i32
        %6 = tt.splat %5 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
        %7 = tt.addptr %6, %v_9 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
        %8 = arith.mulf %s_13, %v_12 : tensor<32xf32>
        tt.store %7, %8 : tensor<32x!tt.ptr<f32>>
        %t_14 = arith.addi %t_1, %c1_i32 : i32
        scf.yield %t_14 : i32
      } else {
        scf.yield %t_1 : i32
      }
      scf.yield %ki_5, %2, %3 : i32, tensor<32xf32>, i32
    }
    tt.return
  }
}
