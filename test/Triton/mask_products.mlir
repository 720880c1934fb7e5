// Masks that are joined by a product are boxes as well.
// RUN: heddle run %s --device=sim --grid=1,2 --scalars=M=50,N=70,sx=70 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN --implicit-check-not=element
// EXPLAIN: load of tensor<64x64xf32>: box
module {
  tt.func public @products(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %M: i32, %N: i32,
        %sx: i32) attributes {noinline = false} {
    %cst = arith.constant dense<2.000000e+00> : tensor<64x64xf32>
    %v = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64_i32 = arith.constant 64 : i32
    %m = tt.get_program_id x : i32
    %m_0 = arith.muli %m, %c64_i32 : i32
    %m_1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m_2 = tt.splat %m_0 : i32 -> tensor<64xi32>
    %m_3 = arith.addi %m_2, %m_1 : tensor<64xi32>
    %n = tt.get_program_id y : i32
    %n_4 = arith.muli %n, %c64_i32 : i32
    %n_5 = tt.splat %n_4 : i32 -> tensor<64xi32>
    %n_6 = arith.addi %n_5, %m_1 : tensor<64xi32>
    %mask = tt.splat %N : i32 -> tensor<64xi32>
    %mask_7 = arith.cmpi slt, %n_6, %mask : tensor<64xi32>
    %mask_8 = tt.expand_dims %mask_7 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %mask_9 = tt.splat %M : i32 -> tensor<64xi32>
    %mask_10 = arith.cmpi slt, %m_3, %mask_9 : tensor<64xi32>
    %mask_11 = tt.expand_dims %mask_10 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %mask_12 = tt.broadcast %mask_8 : tensor<1x64xi1> -> tensor<64x64xi1>
    %mask_13 = tt.broadcast %mask_11 : tensor<64x1xi1> -> tensor<64x64xi1>
    %mask_14 = arith.muli %mask_12, %mask_13 : tensor<64x64xi1>
    %v_15 = tt.expand_dims %m_3 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %v_16 = tt.splat %sx : i32 -> tensor<64x1xi32>
    %v_17 = arith.muli %v_15, %v_16 : tensor<64x1xi32>
    %v_18 = tt.splat %x : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %v_19 = tt.addptr %v_18, %v_17 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %v_20 = tt.expand_dims %n_6 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v_21 = tt.broadcast %v_19 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %v_22 = tt.broadcast %v_20 : tensor<1x64xi32> -> tensor<64x64xi32>
    %v_23 = tt.addptr %v_21, %v_22 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %v_24 = tt.load %v_23, %mask_14, %v : tensor<64x64x!tt.ptr<f32>>
    %0 = tt.splat %y : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %1 = tt.addptr %0, %v_17 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %2 = tt.broadcast %1 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %v_22 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %4 = arith.mulf %v_24, %cst : tensor<64x64xf32>
    tt.store %3, %4, %mask_14 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
