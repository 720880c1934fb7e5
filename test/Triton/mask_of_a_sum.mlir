// The mask of a store of a scalar follows from a sum of a tile.
// RUN: heddle run %s --device=sim --grid=3 --scalars=N=50 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=N=50 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @mark(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i32> {tt.divisibility = 16 :
      i32}, %N: i32) {
    %c1_i32 = arith.constant 1 : i32
    %v = arith.constant dense<0> : tensor<64xi32>
    %c0_i32 = arith.constant 0 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %v_0 = tt.splat %N : i32 -> tensor<64xi32>
    %v_1 = arith.cmpi slt, %i, %v_0 : tensor<64xi32>
    %v_2 = tt.get_program_id x : i32
    %v_3 = arith.muli %v_2, %N : i32
    %v_4 = tt.addptr %x, %v_3 : !tt.ptr<i32>, i32
    %v_5 = tt.splat %v_4 : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %v_6 = tt.addptr %v_5, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v_7 = tt.load %v_6, %v_1, %v : tensor<64x!tt.ptr<i32>>
    %s = tt.reshape %v_7 allow_reorder : tensor<64xi32> -> tensor<64xi32>
    %s_8 = "tt.reduce"(%s) <{axis = 0 : i32}> ({
    ^bb0(%s_9: i32, %s_10: i32):
      %s_11 = arith.addi %s_9, %s_10 : i32
      tt.reduce.return %s_11 : i32
    }) : (tensor<64xi32>) -> i32
    %0 = arith.cmpi sgt, %s_8, %c0_i32 : i32
    %1 = tt.addptr %o, %v_2 : !tt.ptr<i32>, i32
    tt.store %1, %c1_i32, %0 : !tt.ptr<i32>
    tt.return
  }
}
