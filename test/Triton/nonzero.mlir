// The place of an element follows from one array and its mask from another: both are given before addresses are asked.
// RUN: rm -rf %t && mkdir %t
// RUN: python3 %S/../Tools/Inputs/npy.py make %t/x.npy '<i4' 100 'i %% 2'
// RUN: python3 %S/../Tools/Inputs/npy.py make %t/p.npy '<i4' 100 '(i + 1) // 2'
// RUN: heddle run %s --device=sim --grid=2 --scalars=n=100 --input=X=%t/x.npy --input=P=%t/p.npy --input=O=zeros \
// RUN:   | FileCheck %s
// CHECK: {{^}}verified

// Random places are not those of the mask.
// RUN: not heddle run %s --device=sim --grid=2 --scalars=n=100 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: the kernel reaches element -1 of 'O', which lies before its first one (--input gives values
module {
  tt.func public @nonzero(%X: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %P: !tt.ptr<i32> {tt.divisibility = 16 :
      i32}, %O: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %n: i32) {
    %cst = arith.constant dense<-1> : tensor<64xi32>
    %cst_0 = arith.constant dense<0> : tensor<64xi32>
    %c64_i32 = arith.constant 64 : i32
    %o = tt.get_program_id x : i32
    %o_1 = arith.muli %o, %c64_i32 : i32
    %o_2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %o_3 = tt.splat %o_1 : i32 -> tensor<64xi32>
    %o_4 = arith.addi %o_3, %o_2 : tensor<64xi32>
    %x = tt.splat %n : i32 -> tensor<64xi32>
    %x_5 = arith.cmpi slt, %o_4, %x : tensor<64xi32>
    %x_6 = tt.splat %X : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %x_7 = tt.addptr %x_6, %o_4 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %x_8 = tt.load %x_7, %x_5, %cst_0 : tensor<64x!tt.ptr<i32>>
    %p = tt.splat %P : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %p_9 = tt.addptr %p, %o_4 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %p_10 = tt.load %p_9, %x_5, %cst_0 : tensor<64x!tt.ptr<i32>>
    %m = arith.cmpi ne, %x_8, %cst_0 : tensor<64xi32>
    %m_11 = arith.andi %x_5, %m : tensor<64xi1>
    %0 = tt.splat %O : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
    %1 = tt.addptr %0, %p_10 : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %2 = tt.addptr %1, %cst : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
    %3 = arith.extsi %o_4 : tensor<64xi32> to tensor<64xi64>
    tt.store %2, %3, %m_11 : tensor<64x!tt.ptr<i64>>
    tt.return
  }
}
