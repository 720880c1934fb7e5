// Blocks from the end of a tensor on, the last of which begins in front of it: both bounds together say what is size
// and what is coordinate, and the copy engine gives zeros there.
// RUN: heddle explain %s --time-limit=1 | FileCheck %s
// CHECK: load of tensor<64x64xf16>: box of view 'k'
// CHECK: dimension 1: size T, stride s_t, at T - 64 * i, along dimension 1 of the tile
// CHECK: load of tensor<64x64xf16>: box of view 'v'
// RUN: heddle run %s --device=sim --grid=2 --scalars=s_h=7168,s_t=64,T=112 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=s_h=7168,s_t=64,T=112 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @back(%k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s_h: i32 {tt.divisibility = 16 : i32},
          %s_t: i32 {tt.divisibility = 16 : i32}, %T: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<64> : tensor<1x64xi64>
    %cst_0 = arith.constant dense<0> : tensor<1x64xi64>
    %cst_1 = arith.constant dense<64> : tensor<64x1xi64>
    %cst_2 = arith.constant dense<0> : tensor<64x1xi64>
    %c63_i32 = arith.constant 63 : i32
    %c4096_i32 = arith.constant 4096 : i32
    %cst_3 = arith.constant dense<64> : tensor<64x1xi32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_5 = arith.constant dense<5.000000e-01> : tensor<64x64xf32>
    %c64_i32 = arith.constant 64 : i32
    %c1_i32 = arith.constant 1 : i32
    %h = tt.get_program_id x : i32
    %0 = arith.addi %T, %c63_i32 : i32
    %1 = arith.divsi %0, %c64_i32 : i32
    %2 = arith.addi %1, %c1_i32 : i32
    %acc = scf.for %i = %c1_i32 to %2 step %c1_i32 iter_args(%acc_6 = %cst_4) -> (tensor<64x64xf32>)  : i32 {
      %p_k = arith.muli %h, %s_h : i32
      %p_k_7 = tt.addptr %k, %p_k : !tt.ptr<f16>, i32
      %p_k_8 = arith.muli %i, %c64_i32 : i32
      %p_k_9 = arith.subi %T, %p_k_8 : i32
      %p_k_10 = arith.extsi %T : i32 to i64
      %p_k_11 = arith.extsi %s_t : i32 to i64
      %p_k_12 = arith.extsi %p_k_9 : i32 to i64
      %p_v = tt.addptr %v, %p_k : !tt.ptr<f16>, i32
      %acc_13 = arith.mulf %acc_6, %cst_5 : tensor<64x64xf32>
      %acc_14 = tt.splat %p_k_7 : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
      %acc_15 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %acc_16 = arith.extsi %acc_15 : tensor<64xi32> to tensor<64xi64>
      %acc_17 = tt.expand_dims %acc_16 {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
      %acc_18 = tt.broadcast %acc_17 : tensor<64x1xi64> -> tensor<64x64xi64>
      %acc_19 = tt.splat %p_k_12 : i64 -> tensor<64xi64>
      %acc_20 = arith.addi %acc_19, %acc_16 : tensor<64xi64>
      %acc_21 = tt.expand_dims %acc_20 {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
      %acc_22 = tt.splat %p_k_11 : i64 -> tensor<1x64xi64>
      %acc_23 = arith.muli %acc_21, %acc_22 : tensor<1x64xi64>
      %acc_24 = tt.broadcast %acc_23 : tensor<1x64xi64> -> tensor<64x64xi64>
      %acc_25 = arith.addi %acc_18, %acc_24 : tensor<64x64xi64>
      %acc_26 = tt.addptr %acc_14, %acc_25 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi64>
      %acc_27 = arith.cmpi sge, %acc_17, %cst_2 : tensor<64x1xi64>
      %acc_28 = arith.cmpi slt, %acc_17, %cst_1 : tensor<64x1xi64>
      %acc_29 = arith.andi %acc_27, %acc_28 : tensor<64x1xi1>
      %acc_30 = tt.broadcast %acc_29 : tensor<64x1xi1> -> tensor<64x64xi1>
      %acc_31 = arith.cmpi sge, %acc_21, %cst_0 : tensor<1x64xi64>
      %acc_32 = tt.splat %p_k_10 : i64 -> tensor<1x64xi64>
      %acc_33 = arith.cmpi slt, %acc_21, %acc_32 : tensor<1x64xi64>
      %acc_34 = arith.andi %acc_31, %acc_33 : tensor<1x64xi1>
      %acc_35 = tt.broadcast %acc_34 : tensor<1x64xi1> -> tensor<64x64xi1>
      %acc_36 = arith.andi %acc_30, %acc_35 : tensor<64x64xi1>
      %acc_37 = tt.load %acc_26, %acc_36 : tensor<64x64x!tt.ptr<f16>>
      %acc_38 = tt.splat %p_v : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
      %acc_39 = tt.expand_dims %acc_20 {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
      %acc_40 = tt.splat %p_k_11 : i64 -> tensor<64x1xi64>
      %acc_41 = arith.muli %acc_39, %acc_40 : tensor<64x1xi64>
      %acc_42 = tt.broadcast %acc_41 : tensor<64x1xi64> -> tensor<64x64xi64>
      %acc_43 = tt.expand_dims %acc_16 {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
      %acc_44 = tt.broadcast %acc_43 : tensor<1x64xi64> -> tensor<64x64xi64>
      %acc_45 = arith.addi %acc_42, %acc_44 : tensor<64x64xi64>
      %acc_46 = tt.addptr %acc_38, %acc_45 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi64>
      %acc_47 = arith.cmpi sge, %acc_39, %cst_2 : tensor<64x1xi64>
      %acc_48 = tt.splat %p_k_10 : i64 -> tensor<64x1xi64>
      %acc_49 = arith.cmpi slt, %acc_39, %acc_48 : tensor<64x1xi64>
      %acc_50 = arith.andi %acc_47, %acc_49 : tensor<64x1xi1>
      %acc_51 = tt.broadcast %acc_50 : tensor<64x1xi1> -> tensor<64x64xi1>
      %acc_52 = arith.cmpi sge, %acc_43, %cst_0 : tensor<1x64xi64>
      %acc_53 = arith.cmpi slt, %acc_43, %cst : tensor<1x64xi64>
      %acc_54 = arith.andi %acc_52, %acc_53 : tensor<1x64xi1>
      %acc_55 = tt.broadcast %acc_54 : tensor<1x64xi1> -> tensor<64x64xi1>
      %acc_56 = arith.andi %acc_51, %acc_55 : tensor<64x64xi1>
      %acc_57 = tt.load %acc_46, %acc_56 : tensor<64x64x!tt.ptr<f16>>
      %acc_58 = tt.dot %acc_37, %acc_57, %acc_13, inputPrecision = tf32
          : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %acc_58 : tensor<64x64xf32>
    }
    %3 = arith.muli %h, %c4096_i32 : i32
    %4 = tt.addptr %o, %3 : !tt.ptr<f32>, i32
    %5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %7 = arith.muli %6, %cst_3 : tensor<64x1xi32>
    %8 = tt.splat %4 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %9 = tt.addptr %8, %7 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %10 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tt.broadcast %9 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %12 = tt.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
    %13 = tt.addptr %11, %12 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %13, %acc : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
