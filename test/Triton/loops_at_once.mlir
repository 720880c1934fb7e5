// Kernels that take tile after tile in one loop, which counts the iterations of two (`ki` of a tile; a new tile where
// it is 0, a store where it is the last one), become a loop around a loop: the inner one is scheduled, and its tiles
// are boxes. The position is a branch here, offsets move on in the body, and the end counts its own tiles.
// RUN: heddle compile %s --emit=tile | FileCheck %s
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.load
// CHECK: tile.dot
// CHECK: tile.store
// RUN: heddle run %s --device=sim --grid=3 --scalars=M=200,N=136,K=168,stride_am=168,stride_bn=168,stride_cm=136 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=M=200,N=136,K=168,stride_am=168,stride_bn=168,stride_cm=136 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// A loop that is not entered at all stores nothing.
// RUN: not heddle run %s --device=sim --grid=3 --scalars=M=200,N=136,K=0,stride_am=168,stride_bn=168,stride_cm=136 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: the program writes no element
module {
  tt.func public @steps(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %b_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32,
          %N: i32, %K: i32, %stride_am: i32, %stride_bn: i32, %stride_cm: i32) attributes {noinline = false} {
    %mine = arith.constant 2 : i32
    %c63_i32 = arith.constant 63 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64_i32 = arith.constant 64 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %ki = arith.constant -1 : i32
    %c3_i32 = arith.constant 3 : i32
    %tile_c = tt.get_program_id x : i32
    %k_tiles = arith.addi %K, %c63_i32 : i32
    %k_tiles_1 = arith.divsi %k_tiles, %c64_i32 : i32
    %num_n = arith.addi %N, %c63_i32 : i32
    %num_n_2 = arith.divsi %num_n, %c64_i32 : i32
    %tiles = arith.addi %M, %c63_i32 : i32
    %tiles_3 = arith.divsi %tiles, %c64_i32 : i32
    %tiles_4 = arith.muli %tiles_3, %num_n_2 : i32
    %mine_5 = arith.subi %tiles_4, %tile_c : i32
    %mine_6 = arith.addi %mine_5, %mine : i32
    %mine_7 = arith.divsi %mine_6, %c3_i32 : i32
    %tile = arith.subi %tile_c, %c3_i32 : i32
    %lane_k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = arith.muli %mine_7, %k_tiles_1 : i32
    %acc:7 = scf.for %_ = %c0_i32 to %0 step %c1_i32 iter_args(%tile_8 = %tile, %tile_c_9 = %tile_c, %ki_10 = %ki,
        %done = %c0_i32, %a_off = %c0_i32, %b_off = %c0_i32, %acc_11 = %cst_0) -> (i32, i32, i32, i32, i32, i32,
            tensor<64x64xf32>)  : i32 {
      %1 = arith.subi %k_tiles_1, %c1_i32 : i32
      %2 = arith.cmpi eq, %ki_10, %1 : i32
      %3 = scf.if %2 -> (i32) {
        scf.yield %c0_i32 : i32
      } else {
        %ki_57 = arith.addi %ki_10, %c1_i32 : i32
        scf.yield %ki_57 : i32
      }
      %4 = arith.cmpi eq, %3, %c0_i32 : i32
      %5:3 = scf.if %4 -> (i32, i32, i32) {
        %tile_57 = arith.addi %tile_8, %c3_i32 : i32
        %a_off_58 = arith.divsi %tile_57, %num_n_2 : i32
        %a_off_59 = arith.muli %a_off_58, %c64_i32 : i32
        %a_off_60 = arith.muli %a_off_59, %stride_am : i32
        %b_off_61 = arith.remsi %tile_57, %num_n_2 : i32
        %b_off_62 = arith.muli %b_off_61, %c64_i32 : i32
        %b_off_63 = arith.muli %b_off_62, %stride_bn : i32
        scf.yield %tile_57, %a_off_60, %b_off_63 : i32, i32, i32
      } else {
        scf.yield %tile_8, %a_off, %b_off : i32, i32, i32
      }
      %a = tt.expand_dims %lane_k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %a_12 = arith.muli %3, %c64_i32 : i32
      %a_13 = arith.subi %K, %a_12 : i32
      %a_14 = tt.splat %a_13 : i32 -> tensor<1x64xi32>
      %a_15 = arith.cmpi slt, %a, %a_14 : tensor<1x64xi32>
      %a_16 = arith.divsi %5#0, %num_n_2 : i32
      %a_17 = arith.muli %a_16, %c64_i32 : i32
      %a_18 = tt.expand_dims %lane_k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %a_19 = tt.splat %a_17 : i32 -> tensor<64x1xi32>
      %a_20 = arith.addi %a_19, %a_18 : tensor<64x1xi32>
      %a_21 = tt.splat %M : i32 -> tensor<64x1xi32>
      %a_22 = arith.cmpi slt, %a_20, %a_21 : tensor<64x1xi32>
      %a_23 = tt.broadcast %a_15 : tensor<1x64xi1> -> tensor<64x64xi1>
      %a_24 = tt.broadcast %a_22 : tensor<64x1xi1> -> tensor<64x64xi1>
      %a_25 = arith.andi %a_23, %a_24 : tensor<64x64xi1>
      %a_26 = tt.addptr %a_ptr, %5#1 : !tt.ptr<f16>, i32
      %a_27 = tt.splat %stride_am : i32 -> tensor<64x1xi32>
      %a_28 = arith.muli %a_18, %a_27 : tensor<64x1xi32>
      %a_29 = tt.splat %a_26 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %a_30 = tt.addptr %a_29, %a_28 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %a_31 = tt.broadcast %a_30 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %a_32 = tt.broadcast %a : tensor<1x64xi32> -> tensor<64x64xi32>
      %a_33 = tt.addptr %a_31, %a_32 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %a_34 = tt.load %a_33, %a_25, %cst : tensor<64x64x!tt.ptr<f16>>
      %b = tt.splat %a_13 : i32 -> tensor<64x1xi32>
      %b_35 = arith.cmpi slt, %a_18, %b : tensor<64x1xi32>
      %b_36 = arith.remsi %5#0, %num_n_2 : i32
      %b_37 = arith.muli %b_36, %c64_i32 : i32
      %b_38 = tt.splat %b_37 : i32 -> tensor<1x64xi32>
      %b_39 = arith.addi %b_38, %a : tensor<1x64xi32>
      %b_40 = tt.splat %N : i32 -> tensor<1x64xi32>
      %b_41 = arith.cmpi slt, %b_39, %b_40 : tensor<1x64xi32>
      %b_42 = tt.broadcast %b_35 : tensor<64x1xi1> -> tensor<64x64xi1>
      %b_43 = tt.broadcast %b_41 : tensor<1x64xi1> -> tensor<64x64xi1>
      %b_44 = arith.andi %b_42, %b_43 : tensor<64x64xi1>
      %b_45 = tt.addptr %b_ptr, %5#2 : !tt.ptr<f16>, i32
      %b_46 = tt.splat %stride_bn : i32 -> tensor<1x64xi32>
      %b_47 = arith.muli %a, %b_46 : tensor<1x64xi32>
      %b_48 = tt.splat %b_45 : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
      %b_49 = tt.addptr %b_48, %b_47 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
      %b_50 = tt.broadcast %b_49 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %b_51 = tt.broadcast %a_18 : tensor<64x1xi32> -> tensor<64x64xi32>
      %b_52 = tt.addptr %b_50, %b_51 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %b_53 = tt.load %b_52, %b_44, %cst : tensor<64x64x!tt.ptr<f16>>
      %acc_54 = tt.dot %a_34, %b_53, %acc_11, inputPrecision = tf32
          : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %a_off_55 = arith.addi %5#1, %c64_i32 : i32
      %b_off_56 = arith.addi %5#2, %c64_i32 : i32
      %6 = arith.cmpi eq, %3, %1 : i32
      %7 = arith.select %6, %cst_0, %acc_54 : tensor<64x64xf32>
      %8:2 = scf.if %6 -> (i32, i32) {
        %rm = arith.divsi %tile_c_9, %num_n_2 : i32
        %rm_57 = arith.muli %rm, %c64_i32 : i32
        %rm_58 = tt.splat %rm_57 : i32 -> tensor<64xi32>
        %rm_59 = arith.addi %rm_58, %lane_k : tensor<64xi32>
        %rn = arith.remsi %tile_c_9, %num_n_2 : i32
        %rn_60 = arith.muli %rn, %c64_i32 : i32
        %rn_61 = tt.splat %rn_60 : i32 -> tensor<64xi32>
        %rn_62 = arith.addi %rn_61, %lane_k : tensor<64xi32>
        %9 = tt.expand_dims %rm_59 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
        %10 = arith.cmpi slt, %9, %a_21 : tensor<64x1xi32>
        %11 = tt.expand_dims %rn_62 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
        %12 = arith.cmpi slt, %11, %b_40 : tensor<1x64xi32>
        %13 = tt.broadcast %10 : tensor<64x1xi1> -> tensor<64x64xi1>
        %14 = tt.broadcast %12 : tensor<1x64xi1> -> tensor<64x64xi1>
        %15 = arith.andi %13, %14 : tensor<64x64xi1>
        %16 = tt.splat %stride_cm : i32 -> tensor<64x1xi32>
        %17 = arith.muli %9, %16 : tensor<64x1xi32>
        %18 = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
        %19 = tt.addptr %18, %17 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
        %20 = tt.broadcast %19 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
        %21 = tt.broadcast %11 : tensor<1x64xi32> -> tensor<64x64xi32>
        %22 = tt.addptr %20, %21 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
        %23 = arith.addi %done, %c1_i32 : i32
        %24 = arith.sitofp %23 : i32 to f32
        %25 = tt.splat %24 : f32 -> tensor<64x64xf32>
        %26 = arith.mulf %acc_54, %25 : tensor<64x64xf32>
        %27 = arith.truncf %26 : tensor<64x64xf32> to tensor<64x64xf16>
        tt.store %22, %27, %15 : tensor<64x64x!tt.ptr<f16>>
        %tile_c_63 = arith.addi %tile_c_9, %c3_i32 : i32
        scf.yield %tile_c_63, %23 : i32, i32
      } else {
        scf.yield %tile_c_9, %done : i32, i32
      }
      scf.yield %5#0, %8#0, %3, %8#1, %a_off_55, %b_off_56, %7 : i32, i32, i32, i32, i32, i32, tensor<64x64xf32>
    }
    tt.return
  }
}
