// A scalar of 64 bits keeps its upper half on the way to a tile (the text says int64_t, not an index of 32 bits).
// RUN: heddle run %s --device=sim --grid=1 --input "p=integers(-9000000000,-8000000000)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input "p=integers(-9000000000,-8000000000)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @shift_by_scalar(%p: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %x: !tt.ptr<i64> {tt.divisibility
      = 16 : i32}, %o: !tt.ptr<i64> {tt.divisibility = 16 : i32}) {
    %c32_i64 = arith.constant 32 : i64
    %s = tt.load %p : !tt.ptr<i64>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = tt.splat %o : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %2 = tt.splat %x : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %3 = tt.addptr %2, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %4 = tt.load %3 : tensor<64x!tt.ptr<i64>>
    %5 = arith.shrsi %s, %c32_i64 : i64
    %6 = tt.splat %5 : i64 -> tensor<64xi64>
    %7 = arith.addi %4, %6 : tensor<64xi64>
    tt.store %1, %7 : tensor<64x!tt.ptr<i64>>
    tt.return
  }
}
