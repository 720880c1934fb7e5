// A tile of one element that a loop with products sums up, added to a tile: no scalar of every warp group.
// RUN: heddle run %s --device=sim --grid=1 --scalars=K=128 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @ones(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %s: !tt.ptr<f32>,
        %K: i32) attributes {noinline = false} {
    %t = arith.constant dense<0.000000e+00> : tensor<1xf32>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %v = arith.constant dense<63> : tensor<64xi32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<64> : tensor<64x1xi32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %t_1:2 = scf.for %i = %c0_i32 to %K step %c64_i32 iter_args(%acc = %cst, %t_7 = %t) -> (tensor<64x64xf32>,
          tensor<1xf32>)  : i32 {
      %x = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %x_8 = tt.splat %K : i32 -> tensor<64x1xi32>
      %x_9 = arith.muli %x, %x_8 : tensor<64x1xi32>
      %x_10 = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %x_11 = tt.addptr %x_10, %x_9 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %x_12 = tt.splat %i : i32 -> tensor<64xi32>
      %x_13 = arith.addi %x_12, %m : tensor<64xi32>
      %x_14 = tt.expand_dims %x_13 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %x_15 = tt.broadcast %x_11 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %x_16 = tt.broadcast %x_14 : tensor<1x64xi32> -> tensor<64x64xi32>
      %x_17 = tt.addptr %x_15, %x_16 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %x_18 = tt.load %x_17 : tensor<64x64x!tt.ptr<f16>>
      %y = tt.expand_dims %x_13 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %y_19 = arith.muli %y, %cst_0 : tensor<64x1xi32>
      %y_20 = tt.splat %b : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %y_21 = tt.addptr %y_20, %y_19 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %y_22 = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %y_23 = tt.broadcast %y_21 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %y_24 = tt.broadcast %y_22 : tensor<1x64xi32> -> tensor<64x64xi32>
      %y_25 = tt.addptr %y_23, %y_24 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %y_26 = tt.load %y_25 : tensor<64x64x!tt.ptr<f16>>
      %t_27 = arith.mulf %x_18, %y_26 : tensor<64x64xf16>
      %t_28 = tt.reshape %t_27 allow_reorder : tensor<64x64xf16> -> tensor<4096xf16>
      %t_29 = "tt.reduce"(%t_28) <{axis = 0 : i32}> ({
      ^bb0(%t_34: f16, %t_35: f16):
        %t_36 = arith.addf %t_34, %t_35 : f16
        tt.reduce.return %t_36 : f16
      }) : (tensor<4096xf16>) -> f16
      %t_30 = arith.extf %t_29 : f16 to f32
      %t_31 = tt.splat %t_30 : f32 -> tensor<1xf32>
      %t_32 = arith.addf %t_7, %t_31 : tensor<1xf32>
      %acc_33 = tt.dot %x_18, %y_26, %acc, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> ->
            tensor<64x64xf32>
      scf.yield %acc_33, %t_32 : tensor<64x64xf32>, tensor<1xf32>
    }
    %v_2 = "tt.reduce"(%t_1#0) <{axis = 1 : i32}> ({
    ^bb0(%v_7: f32, %v_8: f32):
      %v_9 = arith.addf %v_7, %v_8 : f32
      tt.reduce.return %v_9 : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %v_3 = arith.cmpi slt, %m, %v : tensor<64xi32>
    %v_4 = tt.broadcast %t_1#1 : tensor<1xf32> -> tensor<64xf32>
    %v_5 = arith.addf %v_2, %v_4 : tensor<64xf32>
    %v_6 = arith.select %v_3, %v_2, %v_5 : tensor<64xi1>, tensor<64xf32>
    %0 = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %m : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %1, %v_6 : tensor<64x!tt.ptr<f32>>
    %2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %3 = arith.muli %2, %cst_0 : tensor<64x1xi32>
    %4 = tt.splat %c : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %5 = tt.addptr %4, %3 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %6 = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %7 = tt.broadcast %5 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %8 = tt.broadcast %6 : tensor<1x64xi32> -> tensor<64x64xi32>
    %9 = tt.addptr %7, %8 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    tt.store %9, %t_1#0 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
