// A tile that lies rows and columns behind another one, as blocked algorithms in place have it: a constant distance is
// whole rows and a column of one, so that both accesses name an element alike and the loads wait for the stores.
// RUN: heddle run %s --device=sim --grid=2 --scalars=n=3 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=n=3 | FileCheck %s
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// CHECK: {{^}}verified
// TILE: tile.load %arg1[%{{.*}}, [[COLUMN:%c16[_0-9]*]]]
// TILE: tile.store %{{.*}}, %arg1[%{{.*}}, [[COLUMN]]]
module {
  tt.func public @shifted(%A: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %n: i32) attributes {noinline = false} {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<2.000000e+00> : tensor<16x16xf32>
    %cst_0 = arith.constant dense<16> : tensor<1x16xi32>
    %cst_1 = arith.constant dense<16> : tensor<16x1xi32>
    %cst_2 = arith.constant dense<16> : tensor<16x16xi32>
    %cst_3 = arith.constant dense<64> : tensor<16x1xi32>
    %c16_i32 = arith.constant 16 : i32
    %c64_i32 = arith.constant 64 : i32
    %i = tt.get_program_id x : i32
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    scf.for %j = %c0_i32 to %n step %c1_i32  : i32 {
      %x = arith.muli %i, %c64_i32 : i32
      %x_4 = arith.muli %j, %c16_i32 : i32
      %x_5 = arith.addi %x, %x_4 : i32
      %x_6 = tt.splat %x_5 : i32 -> tensor<16xi32>
      %x_7 = arith.addi %x_6, %r : tensor<16xi32>
      %x_8 = tt.expand_dims %x_7 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
      %x_9 = arith.muli %x_8, %cst_3 : tensor<16x1xi32>
      %x_10 = tt.splat %A : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
      %x_11 = tt.addptr %x_10, %x_9 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
      %x_12 = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
      %x_13 = tt.broadcast %x_11 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x16x!tt.ptr<f32>>
      %x_14 = tt.broadcast %x_12 : tensor<1x16xi32> -> tensor<16x16xi32>
      %x_15 = tt.addptr %x_13, %x_14 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
      %x_16 = tt.load %x_15 : tensor<16x16x!tt.ptr<f32>>
      %y = tt.splat %O : !tt.ptr<f32> -> tensor<16x1x!tt.ptr<f32>>
      %y_17 = tt.addptr %y, %x_9 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
      %y_18 = tt.broadcast %y_17 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x16x!tt.ptr<f32>>
      %y_19 = tt.addptr %y_18, %x_14 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
      %y_20 = tt.addptr %y_19, %cst_2 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
      %y_21 = tt.load %y_20 : tensor<16x16x!tt.ptr<f32>>
      %0 = arith.addi %x_8, %cst_1 : tensor<16x1xi32>
      %1 = arith.muli %0, %cst_3 : tensor<16x1xi32>
      %2 = tt.addptr %y, %1 : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>
      %3 = arith.addi %x_12, %cst_0 : tensor<1x16xi32>
      %4 = tt.broadcast %2 : tensor<16x1x!tt.ptr<f32>> -> tensor<16x16x!tt.ptr<f32>>
      %5 = tt.broadcast %3 : tensor<1x16xi32> -> tensor<16x16xi32>
      %6 = tt.addptr %4, %5 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
      %7 = arith.mulf %x_16, %cst : tensor<16x16xf32>
      %8 = arith.addf %7, %y_21 : tensor<16x16xf32>
      tt.store %6, %8 : tensor<16x16x!tt.ptr<f32>>
    }
    tt.return
  }
}
