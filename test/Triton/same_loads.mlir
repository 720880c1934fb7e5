// A branch that loads with a mask at the end, and without one before: the mask holds there, so that there is no
// branch, and
// the loop is scheduled.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=100,stride=64 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=problem | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: node dot
// RUN: sed "s/cmpi sgt/cmpi ne/" %s > %t.mlir
// RUN: heddle compile %t.mlir --emit=tile | FileCheck %s --check-prefix=LEFT
// LEFT: scf.if
module {
  tt.func public @tail(%q: !tt.ptr<f16>, %k: !tt.ptr<f16>, %o: !tt.ptr<f32>, %n: i32,
        %stride: i32) attributes {noinline = false} {
    %s = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %c32_i32 = arith.constant 32 : i32
    %cst_1 = arith.constant dense<0> : tensor<64xi32>
    %dims = arith.constant dense<1> : tensor<64xi32>
    %dims_2 = arith.constant dense<64> : tensor<64xi32>
    %x = arith.constant dense<64> : tensor<64x1xi32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %lane = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %x_3 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %x_4 = arith.muli %x_3, %x : tensor<64x1xi32>
    %x_5 = tt.splat %q : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %x_6 = tt.addptr %x_5, %x_4 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %x_7 = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_8 = tt.broadcast %x_6 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %x_9 = tt.broadcast %x_7 : tensor<1x64xi32> -> tensor<64x64xi32>
    %x_10 = tt.addptr %x_8, %x_9 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x_11 = tt.load %x_10 : tensor<64x64x!tt.ptr<f16>>
    %dims_12 = arith.cmpi slt, %m, %dims_2 : tensor<64xi32>
    %dims_13 = arith.select %dims_12, %dims, %cst_1 : tensor<64xi1>, tensor<64xi32>
    %dims_14 = arith.cmpi ne, %dims_13, %cst_1 : tensor<64xi32>
    %s_15 = scf.for %start = %c0_i32 to %n step %c32_i32 iter_args(%s_16 = %s) -> (tensor<64xf32>)  : i32 {
      %at = tt.splat %start : i32 -> tensor<32xi32>
      %at_17 = arith.addi %at, %lane : tensor<32xi32>
      %at_18 = tt.expand_dims %at_17 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %at_19 = tt.splat %stride : i32 -> tensor<1x32xi32>
      %at_20 = arith.muli %at_18, %at_19 : tensor<1x32xi32>
      %at_21 = tt.splat %k : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>>
      %at_22 = tt.addptr %at_21, %at_20 : tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>
      %at_23 = tt.broadcast %at_22 : tensor<1x32x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %at_24 = tt.broadcast %x_3 : tensor<64x1xi32> -> tensor<64x32xi32>
      %at_25 = tt.addptr %at_23, %at_24 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %2 = arith.addi %start, %c32_i32 : i32
      %3 = arith.cmpi sgt, %2, %n : i32
      %4 = scf.if %3 -> (tensor<64x32xf16>) {
        %y = tt.splat %n : i32 -> tensor<1x32xi32>
        %y_29 = arith.cmpi slt, %at_18, %y : tensor<1x32xi32>
        %y_30 = tt.expand_dims %dims_14 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
        %y_31 = tt.broadcast %y_29 : tensor<1x32xi1> -> tensor<64x32xi1>
        %y_32 = tt.broadcast %y_30 : tensor<64x1xi1> -> tensor<64x32xi1>
        %y_33 = arith.andi %y_31, %y_32 : tensor<64x32xi1>
        %y_34 = tt.load %at_25, %y_33, %cst : tensor<64x32x!tt.ptr<f16>>
        scf.yield %y_34 : tensor<64x32xf16>
      } else {
        %y = tt.load %at_25 : tensor<64x32x!tt.ptr<f16>>
        scf.yield %y : tensor<64x32xf16>
      }
      %s_26 = tt.dot %x_11, %4, %cst_0, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> ->
            tensor<64x32xf32>
      %s_27 = "tt.reduce"(%s_26) <{axis = 1 : i32}> ({
      ^bb0(%s_29: f32, %s_30: f32):
        %s_31 = arith.addf %s_29, %s_30 : f32
        tt.reduce.return %s_31 : f32
      }) : (tensor<64x32xf32>) -> tensor<64xf32>
      %s_28 = arith.addf %s_16, %s_27 : tensor<64xf32>
      scf.yield %s_28 : tensor<64xf32>
    }
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %m : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %1, %s_15 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
