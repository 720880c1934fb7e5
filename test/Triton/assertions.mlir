// What an assertion says holds, and nothing tests it. An argument may have the name of a size of the grid.
// RUN: heddle run %s --device=sim --grid=2 --scalars=xnumel=240 '--input=grid_x_=integers(0,50)' | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @emb(%grid_x: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %in_ptr1: !tt.ptr<f32> {tt.divisibility = 16
        : i32}, %out_ptr0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %xnumel: i32 {tt.divisibility = 16 : i32})
        attributes {noinline = false} {
    %cst = arith.constant dense<50> : tensor<128xi64>
    %cst_0 = arith.constant dense<0> : tensor<128xi64>
    %xindex = arith.constant 128 : i64
    %cst_1 = arith.constant dense<24> : tensor<128xi64>
    %cst_2 = arith.constant dense<true> : tensor<128xi1>
    %cst_3 = arith.constant dense<24> : tensor<128xi32>
    %xindex_4 = arith.constant dense<-2147483648> : tensor<128xi64>
    %xindex_5 = arith.constant dense<2147483647> : tensor<128xi64>
    %c-2147483648_i64 = arith.constant -2147483648 : i64
    %c2147483647_i64 = arith.constant 2147483647 : i64
    %c128_i32 = arith.constant 128 : i32
    %xindex_6 = tt.get_program_id x : i32
    %xindex_7 = arith.extsi %xindex_6 : i32 to i64
    %xindex_8 = arith.muli %xindex_7, %xindex : i64
    %xindex_9 = arith.cmpi sle, %xindex_8, %c2147483647_i64 : i64
    %xindex_10 = arith.cmpi sge, %xindex_8, %c-2147483648_i64 : i64
    %xindex_11 = arith.andi %xindex_9, %xindex_10 : i1
    tt.assert %xindex_11, "int32 overflow detected for operation mul" : i1
    %xindex_12 = arith.muli %xindex_6, %c128_i32 : i32
    %xindex_13 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %xindex_14 = tt.splat %xindex_12 : i32 -> tensor<128xi32>
    %xindex_15 = arith.extsi %xindex_12 : i32 to i64
    %xindex_16 = tt.splat %xindex_15 : i64 -> tensor<128xi64>
    %xindex_17 = arith.extsi %xindex_13 : tensor<128xi32> to tensor<128xi64>
    %xindex_18 = arith.addi %xindex_16, %xindex_17 : tensor<128xi64>
    %xindex_19 = arith.cmpi sle, %xindex_18, %xindex_5 : tensor<128xi64>
    %xindex_20 = arith.cmpi sge, %xindex_18, %xindex_4 : tensor<128xi64>
    %xindex_21 = arith.andi %xindex_19, %xindex_20 : tensor<128xi1>
    tt.assert %xindex_21, "int32 overflow detected for operation add" : tensor<128xi1>
    %xindex_22 = arith.addi %xindex_14, %xindex_13 : tensor<128xi32>
    %xmask = tt.splat %xnumel : i32 -> tensor<128xi32>
    %xmask_23 = arith.cmpi slt, %xindex_22, %xmask : tensor<128xi32>
    %tmp0 = arith.divsi %xindex_22, %cst_3 : tensor<128xi32>
    %tmp0_24 = tt.splat %grid_x : !tt.ptr<i64> -> tensor<128x!tt.ptr<i64>>
    %tmp0_25 = tt.addptr %tmp0_24, %tmp0 : tensor<128x!tt.ptr<i64>>, tensor<128xi32>
    %tmp0_26 = tt.load %tmp0_25, %xmask_23 : tensor<128x!tt.ptr<i64>>
    %0 = arith.cmpi sge, %tmp0_26, %cst_0 : tensor<128xi64>
    %1 = arith.cmpi slt, %tmp0_26, %cst : tensor<128xi64>
    %2 = arith.andi %0, %1 : tensor<128xi1>
    %3 = arith.xori %xmask_23, %cst_2 : tensor<128xi1>
    %4 = arith.ori %2, %3 : tensor<128xi1>
    tt.assert %4, "index out of bounds" : tensor<128xi1>
    %5 = tt.splat %out_ptr0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %6 = tt.addptr %5, %xindex_22 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %7 = arith.remsi %xindex_22, %cst_3 : tensor<128xi32>
    %8 = tt.splat %in_ptr1 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %9 = tt.addptr %8, %7 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %10 = arith.muli %tmp0_26, %cst_1 : tensor<128xi64>
    %11 = tt.addptr %9, %10 : tensor<128x!tt.ptr<f32>>, tensor<128xi64>
    %12 = tt.load %11, %xmask_23 : tensor<128x!tt.ptr<f32>>
    tt.store %6, %12, %xmask_23 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
