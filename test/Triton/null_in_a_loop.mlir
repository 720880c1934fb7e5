// A pointer that a loop moves may be null, other than an argument: whether it is is computed.
// RUN: not heddle run %s --device=sim --grid=1 --scalars=n=3 2>&1 | FileCheck %s
// CHECK: error: expected an operation that tile programs have, got tt.ptr_to_int
module {
  tt.func public @k(%o: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %T: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0 : i64
    %p0 = tt.int_to_ptr %z : i64 -> !tt.ptr<f32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %cnt = %c0) -> (!tt.ptr<f32>, i32) : i32 {
      %a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
      %c = arith.cmpi ne, %a, %z : i64
      %ci = arith.extui %c : i1 to i32
      %cn = arith.addi %cnt, %ci : i32
      %q = tt.addptr %p, %c1 : !tt.ptr<f32>, i32
      scf.yield %q, %cn : !tt.ptr<f32>, i32
    }
    %l = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %wt = tt.splat %r#1 : i32 -> tensor<64xi32>
    %0 = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %1 = tt.addptr %0, %l : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %1, %wt : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
