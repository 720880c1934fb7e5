// Whole rows of four in front of which the positions begin: the ten rows that are added belong to them.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=20,s=10 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: stride 4, at div(-s + lane0, 4) + 10,
module {
  tt.func public @negmul(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %n: i32, %s: i32) attributes {noinline = false} {
    %j = arith.constant dense<40> : tensor<32xi32>
    %cst = arith.constant dense<4> : tensor<32xi32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %j_0 = tt.splat %s : i32 -> tensor<32xi32>
    %j_1 = arith.subi %i, %j_0 : tensor<32xi32>
    %j_2 = arith.divsi %j_1, %cst : tensor<32xi32>
    %j_3 = arith.muli %j_2, %cst : tensor<32xi32>
    %j_4 = arith.addi %j_3, %j : tensor<32xi32>
    %0 = tt.splat %n : i32 -> tensor<32xi32>
    %1 = arith.cmpi slt, %i, %0 : tensor<32xi32>
    %2 = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %4 = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %5 = tt.addptr %4, %j_4 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %6 = tt.load %5, %1 : tensor<32x!tt.ptr<f32>>
    tt.store %3, %6, %1 : tensor<32x!tt.ptr<f32>>
    tt.return
  }
}
