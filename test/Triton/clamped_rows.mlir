// Rows that memory names, limited to -R and R, from row R of a table on: what limits them belongs to them.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=30,R=8 '--input=ix=integers(-20,20)' | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @clampidx(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %ix: !tt.ptr<i32> {tt.divisibility = 16 :
        i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %R: i32) attributes {noinline = false} {
    %j = arith.constant dense<0> : tensor<32xi32>
    %c0_i32 = arith.constant 0 : i32
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %j_0 = tt.splat %n : i32 -> tensor<32xi32>
    %j_1 = arith.cmpi slt, %i, %j_0 : tensor<32xi32>
    %j_2 = tt.splat %ix : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %j_3 = tt.addptr %j_2, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %j_4 = tt.load %j_3, %j_1, %j : tensor<32x!tt.ptr<i32>>
    %j_5 = arith.subi %c0_i32, %R : i32
    %j_6 = tt.splat %j_5 : i32 -> tensor<32xi32>
    %j_7 = arith.maxsi %j_4, %j_6 : tensor<32xi32>
    %j_8 = tt.splat %R : i32 -> tensor<32xi32>
    %j_9 = arith.minsi %j_7, %j_8 : tensor<32xi32>
    %j_10 = arith.addi %j_9, %j_8 : tensor<32xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %2 = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %3 = tt.addptr %2, %j_10 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %4 = tt.load %3, %j_1 : tensor<32x!tt.ptr<f32>>
    tt.store %1, %4, %j_1 : tensor<32x!tt.ptr<f32>>
    tt.return
  }
}
