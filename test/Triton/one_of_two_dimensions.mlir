// One element in two dimensions, repeated along a row.
// RUN: heddle run %s --device=sim --grid=4 --scalars=N=40,B=1,C=4 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @onerow(%X: !tt.ptr<f32>, %Mean: !tt.ptr<f32>, %dW: !tt.ptr<f32>, %N: i32, %B: i32,
        %C: i32) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %cid = tt.get_program_id x : i32
    %mean = arith.cmpi sgt, %B, %c0_i32 : i32
    %mean_0 = tt.splat %mean : i1 -> tensor<1x1xi1>
    %mean_1 = tt.addptr %Mean, %cid : !tt.ptr<f32>, i32
    %mean_2 = tt.splat %mean_1 : !tt.ptr<f32> -> tensor<1x1x!tt.ptr<f32>>
    %mean_3 = tt.load %mean_2, %mean_0 : tensor<1x1x!tt.ptr<f32>>
    %cols = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %mask = tt.expand_dims %cols {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %mask_4 = tt.splat %N : i32 -> tensor<1x64xi32>
    %mask_5 = arith.cmpi slt, %mask, %mask_4 : tensor<1x64xi32>
    %mask_6 = tt.splat %mean : i1 -> tensor<1x64xi1>
    %mask_7 = arith.andi %mask_6, %mask_5 : tensor<1x64xi1>
    %0 = tt.addptr %dW, %cid : !tt.ptr<f32>, i32
    %1 = arith.muli %cid, %N : i32
    %2 = tt.addptr %X, %1 : !tt.ptr<f32>, i32
    %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
    %4 = tt.addptr %3, %mask : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    %5 = tt.load %4, %mask_7 : tensor<1x64x!tt.ptr<f32>>
    %6 = tt.broadcast %mean_3 : tensor<1x1xf32> -> tensor<1x64xf32>
    %7 = arith.subf %5, %6 : tensor<1x64xf32>
    %8 = tt.reshape %7 allow_reorder : tensor<1x64xf32> -> tensor<64xf32>
    %9 = "tt.reduce"(%8) <{axis = 0 : i32}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      %10 = arith.addf %arg6, %arg7 : f32
      tt.reduce.return %10 : f32
    }) : (tensor<64xf32>) -> f32
    tt.store %0, %9 : !tt.ptr<f32>
    tt.return
  }
}
