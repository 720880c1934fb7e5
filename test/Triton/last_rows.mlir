// The last numbers of each row, as many as memory says: what is subtracted has no greatest value.
// RUN: heddle run %s --device=sim --grid=3 --scalars=longest=40,stride=48 --input "lengths=integers(1,32)" \
// RUN:   | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @lastrows(%table: !tt.ptr<i32>, %lengths: !tt.ptr<i32>, %out: !tt.ptr<i32>, %longest: i32,
        %stride: i32) attributes {noinline = false} {
    %c32_i32 = arith.constant 32 : i32
    %x = arith.constant dense<0> : tensor<32xi32>
    %pid = tt.get_program_id x : i32
    %n = tt.addptr %lengths, %pid : !tt.ptr<i32>, i32
    %n_0 = tt.load %n : !tt.ptr<i32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %x_1 = tt.splat %n_0 : i32 -> tensor<32xi32>
    %x_2 = arith.cmpi slt, %i, %x_1 : tensor<32xi32>
    %x_3 = arith.muli %pid, %stride : i32
    %x_4 = tt.addptr %table, %x_3 : !tt.ptr<i32>, i32
    %x_5 = arith.subi %longest, %n_0 : i32
    %x_6 = tt.addptr %x_4, %x_5 : !tt.ptr<i32>, i32
    %x_7 = tt.splat %x_6 : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %x_8 = tt.addptr %x_7, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %x_9 = tt.load %x_8, %x_2, %x : tensor<32x!tt.ptr<i32>>
    %0 = arith.muli %pid, %c32_i32 : i32
    %1 = tt.addptr %out, %0 : !tt.ptr<i32>, i32
    %2 = tt.splat %1 : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %3 = tt.addptr %2, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %3, %x_9 : tensor<32x!tt.ptr<i32>>
    tt.return
  }
}
