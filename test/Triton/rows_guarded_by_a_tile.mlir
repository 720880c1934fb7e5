// A branch that keeps rows of a table inside of their tensor: its sides may not both run.
// RUN: not heddle compile %s --emit=tile 2>&1 | FileCheck %s
// CHECK: error: a branch that a tile decides is not known beside products
// CHECK: note: its sides are not both computed, with a choice behind: it loads at an address that follows from what the
// CHECK-SAME: branch asks
module {
  tt.func public @guarded(%q: !tt.ptr<f16>, %x: !tt.ptr<f16>, %t: !tt.ptr<i32>, %o: !tt.ptr<f32>,
        %n: i32) attributes {noinline = false} {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c32_i32 = arith.constant 32 : i32
    %cst_0 = arith.constant dense<32> : tensor<64x1xi32>
    %cst_1 = arith.constant dense<64> : tensor<1x32xi32>
    %cst_2 = arith.constant dense<-1> : tensor<32xi32>
    %c0_i32 = arith.constant 0 : i32
    %a = arith.constant dense<64> : tensor<64x1xi32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %lane = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %a_3 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %a_4 = arith.muli %a_3, %a : tensor<64x1xi32>
    %a_5 = tt.splat %q : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %a_6 = tt.addptr %a_5, %a_4 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %a_7 = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %a_8 = tt.broadcast %a_6 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %a_9 = tt.broadcast %a_7 : tensor<1x64xi32> -> tensor<64x64xi32>
    %a_10 = tt.addptr %a_8, %a_9 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %a_11 = tt.load %a_10 : tensor<64x64x!tt.ptr<f16>>
    %acc_12 = scf.for %start = %c0_i32 to %n step %c32_i32 iter_args(%acc_13 = %acc) -> (tensor<64x32xf32>)  : i32 {
      %inside = tt.splat %start : i32 -> tensor<32xi32>
      %inside_14 = arith.addi %inside, %lane : tensor<32xi32>
      %inside_15 = tt.splat %n : i32 -> tensor<32xi32>
      %inside_16 = arith.cmpi slt, %inside_14, %inside_15 : tensor<32xi32>
      %rows = tt.addptr %t, %start : !tt.ptr<i32>, i32
      %rows_17 = tt.splat %rows : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
      %rows_18 = tt.addptr %rows_17, %lane : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
      %rows_19 = tt.load %rows_18, %inside_16, %cst_2 : tensor<32x!tt.ptr<i32>>
      %7 = "tt.reduce"(%rows_19) <{axis = 0 : i32}> ({
      ^bb0(%arg7: i32, %arg8: i32):
        %10 = arith.maxsi %arg7, %arg8 : i32
        tt.reduce.return %10 : i32
      }) : (tensor<32xi32>) -> i32
      %8 = arith.cmpi sge, %7, %c0_i32 : i32
      %9 = scf.if %8 -> (tensor<64x32xf16>) {
        %y = tt.expand_dims %inside_16 {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
        %y_21 = tt.expand_dims %rows_19 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
        %y_22 = arith.muli %y_21, %cst_1 : tensor<1x32xi32>
        %y_23 = tt.splat %x : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>>
        %y_24 = tt.addptr %y_23, %y_22 : tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>
        %y_25 = tt.broadcast %y_24 : tensor<1x32x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
        %y_26 = tt.broadcast %a_3 : tensor<64x1xi32> -> tensor<64x32xi32>
        %y_27 = tt.addptr %y_25, %y_26 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
        %y_28 = tt.broadcast %y : tensor<1x32xi1> -> tensor<64x32xi1>
        %y_29 = tt.load %y_27, %y_28, %cst : tensor<64x32x!tt.ptr<f16>>
        scf.yield %y_29 : tensor<64x32xf16>
      } else {
        scf.yield %cst : tensor<64x32xf16>
      }
      %acc_20 = tt.dot %a_11, %9, %acc_13, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> ->
            tensor<64x32xf32>
      scf.yield %acc_20 : tensor<64x32xf32>
    }
    %0 = arith.muli %a_3, %cst_0 : tensor<64x1xi32>
    %1 = tt.splat %o : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %2 = tt.addptr %1, %0 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %3 = tt.expand_dims %lane {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %4 = tt.broadcast %2 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
    %5 = tt.broadcast %3 : tensor<1x32xi32> -> tensor<64x32xi32>
    %6 = tt.addptr %4, %5 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    tt.store %6, %acc_12 : tensor<64x32x!tt.ptr<f32>>
    tt.return
  }
}
