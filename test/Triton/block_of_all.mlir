// A mask that moves with the program at an address that does not: no block that the program goes back by.
// RUN: heddle run %s --device=sim --grid=2 --scalars=M=80 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @sameblock(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %M: i32) attributes {noinline = false} {
    %v = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %v_0 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %v_1 = arith.muli %pid, %c64_i32 : i32
    %v_2 = arith.subi %M, %v_1 : i32
    %v_3 = tt.splat %v_2 : i32 -> tensor<64x1xi32>
    %v_4 = arith.cmpi slt, %v_0, %v_3 : tensor<64x1xi32>
    %v_5 = arith.muli %v_0, %cst : tensor<64x1xi32>
    %v_6 = tt.splat %x : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %v_7 = tt.addptr %v_6, %v_5 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %v_8 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v_9 = tt.broadcast %v_7 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %v_10 = tt.broadcast %v_8 : tensor<1x64xi32> -> tensor<64x64xi32>
    %v_11 = tt.addptr %v_9, %v_10 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %v_12 = tt.broadcast %v_4 : tensor<64x1xi1> -> tensor<64x64xi1>
    %v_13 = tt.load %v_11, %v_12, %v : tensor<64x64x!tt.ptr<f32>>
    %row = tt.splat %v_1 : i32 -> tensor<64xi32>
    %row_14 = arith.addi %row, %r : tensor<64xi32>
    %0 = tt.expand_dims %row_14 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %1 = tt.splat %M : i32 -> tensor<64x1xi32>
    %2 = arith.cmpi slt, %0, %1 : tensor<64x1xi32>
    %3 = arith.muli %0, %cst : tensor<64x1xi32>
    %4 = tt.splat %y : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %5 = tt.addptr %4, %3 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %6 = tt.broadcast %5 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %7 = tt.addptr %6, %v_10 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %8 = tt.broadcast %2 : tensor<64x1xi1> -> tensor<64x64xi1>
    tt.store %7, %v_13, %8 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
