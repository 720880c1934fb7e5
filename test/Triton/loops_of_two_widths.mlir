// A counter of 32 bits in a loop of 64: no loop that counts the iterations of two.
// RUN: heddle run %s --device=sim --grid=1 --scalars=m=3 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @k(%o: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %m: i64) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c4 = arith.constant 4 : i64
    %n = arith.muli %c4, %m : i64
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %mone = arith.constant -1 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %acc0 = arith.constant dense<0> : tensor<64xi32>
    %r:2 = scf.for %it = %c0 to %n step %c1 iter_args(%k = %mone, %acc = %acc0) -> (i32, tensor<64xi32>) : i64 {
      %isl = arith.cmpi eq, %k, %three : i32
      %kp = arith.addi %k, %one : i32
      %kn = arith.select %isl, %z, %kp : i32
      %h = arith.cmpi eq, %kn, %z : i32
      %ks = tt.splat %kn : i32 -> tensor<64xi32>
      %a0 = scf.if %h -> (tensor<64xi32>) {
        %zz = arith.addi %acc, %i : tensor<64xi32>
        scf.yield %zz : tensor<64xi32>
      } else {
        scf.yield %acc : tensor<64xi32>
      }
      %a = arith.addi %a0, %ks : tensor<64xi32>
      scf.yield %kn, %a : i32, tensor<64xi32>
    }
    %0 = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %1, %r#1 : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
