// What a mask excludes is zero, and may divide.
// RUN: heddle run %s --device=sim --grid=1 --scalars=N=50 --input "x=integers(-9,9)" --input "y=integers(1,9)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=N=50 --input "x=integers(-9,9)" --input "y=integers(1,9)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @masked_remainder(%x: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i64> {tt.divisibility
      = 16 : i32}, %o: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %N: i32) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = tt.splat %N : i32 -> tensor<64xi32>
    %m_0 = arith.cmpi slt, %i, %m : tensor<64xi32>
    %a = tt.splat %x : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %a_1 = tt.addptr %a, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %a_2 = tt.load %a_1, %m_0 : tensor<64x!tt.ptr<i64>>
    %b = tt.splat %y : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %b_3 = tt.addptr %b, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %b_4 = tt.load %b_3, %m_0 : tensor<64x!tt.ptr<i64>>
    %0 = tt.splat %o : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %2 = arith.remsi %a_2, %b_4 : tensor<64xi64>
    tt.store %1, %2, %m_0 : tensor<64x!tt.ptr<i64>>
    tt.return
  }
}
