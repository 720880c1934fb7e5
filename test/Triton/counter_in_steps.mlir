// What a counter is behind a loop in steps of two, and behind one that does not run.
// RUN: heddle run %s --device=sim --grid=1 --scalars=a=1,n=8 | FileCheck %s
// RUN: heddle run %s --device=sim --grid=1 --scalars=a=10,n=3 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=COUNTED
// COUNTED: scf.for
module {
  tt.func public @k(%o: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %a: i32, %n: i32) {
    %c2 = arith.constant 2 : i32
    %x0 = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %r:2 = scf.while (%i = %a, %x = %x0) : (i32, f32) -> (i32, f32) {
      %c = arith.cmpi slt, %i, %n : i32
      scf.condition(%c) %i, %x : i32, f32
    } do {
    ^bb0(%i: i32, %x: f32):
      %i2 = arith.addi %i, %c2 : i32
      %x2 = arith.addf %x, %one : f32
      scf.yield %i2, %x2 : i32, f32
    }
    %l = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %w = arith.fptosi %r#1 : f32 to i32
    %ws = arith.addi %r#0, %w : i32
    %wt = tt.splat %ws : i32 -> tensor<64xi32>
    %0 = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %1 = tt.addptr %0, %l : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %1, %wt : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
