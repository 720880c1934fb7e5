// Rows that memory names by numbers around zero, from the middle of a table on: the number that is added belongs to the
// row, so that none of them lies in front of the view.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=60 '--input=ix=integers(-100,100)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=n=60 '--input=ix=integers(-100,100)' \
// RUN:   | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: at j_4(lane0) + 128,
module {
  tt.func public @rel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %ix: !tt.ptr<i32> {tt.divisibility = 16 : i32},
        %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %c128_i32 = arith.constant 128 : i32
    %j = arith.constant dense<0> : tensor<64xi32>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %j_0 = tt.splat %n : i32 -> tensor<64xi32>
    %j_1 = arith.cmpi slt, %i, %j_0 : tensor<64xi32>
    %j_2 = tt.splat %ix : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %j_3 = tt.addptr %j_2, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %j_4 = tt.load %j_3, %j_1, %j : tensor<64x!tt.ptr<i32>>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %2 = tt.addptr %x, %c128_i32 : !tt.ptr<f32>, i32
    %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %4 = tt.addptr %3, %j_4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %5 = tt.load %4, %j_1 : tensor<64x!tt.ptr<f32>>
    tt.store %1, %5, %j_1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
