// Columns that end where the kernel says, of a tile of 16 rows: a window, of which the copy engine loads the 64 rows
// that a product has. Rows beyond the tile lie inside of the window's sizes, or are zero.
// RUN: heddle explain %s --time-limit=1 | FileCheck %s
// CHECK: load of tensor<16x64xf16>: box of a window of
// CHECK: load of tensor<64x64xf16>: box of a window of
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: tile.load {{.*}} {dims = array<i64: 0, 1>} : {{.*}} -> tensor<64x64xf16>
// RUN: heddle run %s --device=sim --grid=3,3 --scalars=M=16,N=144,K=320,s_a=320,s_b=144 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3,3 --scalars=M=16,N=144,K=320,s_a=320,s_b=144 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @parts(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32},
          %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32},
              %s_a: i32 {tt.divisibility = 16 : i32}, %s_b: i32 {tt.divisibility = 16
                  : i32}) attributes {noinline = false} {
    %acc = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
    %per = arith.constant 2 : i32
    %per_0 = arith.constant 3 : i32
    %per_1 = arith.constant 63 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<16x64xf16>
    %c64_i32 = arith.constant 64 : i32
    %s = tt.get_program_id y : i32
    %per_3 = arith.addi %K, %per_1 : i32
    %per_4 = arith.divsi %per_3, %c64_i32 : i32
    %per_5 = arith.addi %per_4, %per : i32
    %per_6 = arith.divsi %per_5, %per_0 : i32
    %per_7 = arith.muli %per_6, %c64_i32 : i32
    %begin = arith.muli %s, %per_7 : i32
    %end = arith.addi %begin, %per_7 : i32
    %end_8 = arith.minsi %end, %K : i32
    %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %n = tt.get_program_id x : i32
    %n_9 = arith.muli %n, %c64_i32 : i32
    %n_10 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %n_11 = tt.splat %n_9 : i32 -> tensor<64xi32>
    %n_12 = arith.addi %n_11, %n_10 : tensor<64xi32>
    %acc_13 = scf.for %k = %begin to %end_8 step %c64_i32 iter_args(%acc_14 = %acc) -> (tensor<16x64xf32>)  : i32 {
      %kk = tt.splat %k : i32 -> tensor<64xi32>
      %kk_15 = arith.addi %kk, %n_10 : tensor<64xi32>
      %x = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
      %x_16 = tt.splat %M : i32 -> tensor<16x1xi32>
      %x_17 = arith.cmpi slt, %x, %x_16 : tensor<16x1xi32>
      %x_18 = tt.expand_dims %kk_15 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %x_19 = tt.splat %end_8 : i32 -> tensor<1x64xi32>
      %x_20 = arith.cmpi slt, %x_18, %x_19 : tensor<1x64xi32>
      %x_21 = tt.broadcast %x_17 : tensor<16x1xi1> -> tensor<16x64xi1>
      %x_22 = tt.broadcast %x_20 : tensor<1x64xi1> -> tensor<16x64xi1>
      %x_23 = arith.andi %x_21, %x_22 : tensor<16x64xi1>
      %x_24 = tt.splat %s_a : i32 -> tensor<16x1xi32>
      %x_25 = arith.muli %x, %x_24 : tensor<16x1xi32>
      %x_26 = tt.splat %a : !tt.ptr<f16> -> tensor<16x1x!tt.ptr<f16>>
      %x_27 = tt.addptr %x_26, %x_25 : tensor<16x1x!tt.ptr<f16>>, tensor<16x1xi32>
      %x_28 = tt.broadcast %x_27 : tensor<16x1x!tt.ptr<f16>> -> tensor<16x64x!tt.ptr<f16>>
      %x_29 = tt.broadcast %x_18 : tensor<1x64xi32> -> tensor<16x64xi32>
      %x_30 = tt.addptr %x_28, %x_29 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
      %x_31 = tt.load %x_30, %x_23, %cst_2 : tensor<16x64x!tt.ptr<f16>>
      %y = tt.expand_dims %kk_15 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %y_32 = tt.splat %end_8 : i32 -> tensor<64x1xi32>
      %y_33 = arith.cmpi slt, %y, %y_32 : tensor<64x1xi32>
      %y_34 = tt.expand_dims %n_12 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %y_35 = tt.splat %N : i32 -> tensor<1x64xi32>
      %y_36 = arith.cmpi slt, %y_34, %y_35 : tensor<1x64xi32>
      %y_37 = tt.broadcast %y_33 : tensor<64x1xi1> -> tensor<64x64xi1>
      %y_38 = tt.broadcast %y_36 : tensor<1x64xi1> -> tensor<64x64xi1>
      %y_39 = arith.andi %y_37, %y_38 : tensor<64x64xi1>
      %y_40 = tt.splat %s_b : i32 -> tensor<64x1xi32>
      %y_41 = arith.muli %y, %y_40 : tensor<64x1xi32>
      %y_42 = tt.splat %b : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %y_43 = tt.addptr %y_42, %y_41 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %y_44 = tt.broadcast %y_43 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %y_45 = tt.broadcast %y_34 : tensor<1x64xi32> -> tensor<64x64xi32>
      %y_46 = tt.addptr %y_44, %y_45 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %y_47 = tt.load %y_46, %y_39, %cst : tensor<64x64x!tt.ptr<f16>>
      %acc_48 = tt.dot %x_31, %y_47, %acc_14, inputPrecision = tf32
          : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
      scf.yield %acc_48 : tensor<16x64xf32>
    }
    %0 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %1 = tt.splat %M : i32 -> tensor<16x1xi32>
    %2 = arith.cmpi slt, %0, %1 : tensor<16x1xi32>
    %3 = tt.expand_dims %n_12 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %4 = tt.splat %N : i32 -> tensor<1x64xi32>
    %5 = arith.cmpi slt, %3, %4 : tensor<1x64xi32>
    %6 = tt.broadcast %2 : tensor<16x1xi1> -> tensor<16x64xi1>
    %7 = tt.broadcast %5 : tensor<1x64xi1> -> tensor<16x64xi1>
    %8 = arith.andi %6, %7 : tensor<16x64xi1>
    %9 = arith.muli %s, %M : i32
    %10 = arith.muli %9, %N : i32
    %11 = tt.addptr %o, %10 : !tt.ptr<f32>, i32
    %12 = tt.splat %N : i32 -> tensor<16x1xi32>
    %13 = arith.muli %0, %12 : tensor<16x1xi32>
    %14 = tt.splat %11 : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
    %15 = tt.addptr %14, %13 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
    %16 = tt.broadcast %15 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x64x!tt.ptr<f32>>
    %17 = tt.broadcast %3 : tensor<1x64xi32> -> tensor<16x64xi32>
    %18 = tt.addptr %16, %17 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    tt.store %18, %acc_13, %8 : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
