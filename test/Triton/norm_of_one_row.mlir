// Tiles of one row: what is folded has one element, and a dimension.
// RUN: heddle run %s --device=sim --grid=4 --scalars=C=50 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=4 --scalars=C=50 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @norm(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %C: i32) {
    %c100_i32 = arith.constant 100 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %rs = arith.constant dense<1.000000e+00> : tensor<1xf32>
    %rs_0 = arith.constant dense<9.99999974E-6> : tensor<1xf32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<1x64xf32>
    %r = tt.get_program_id x : i32
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = tt.splat %C : i32 -> tensor<64xi32>
    %m_2 = arith.cmpi slt, %c, %m : tensor<64xi32>
    %m_3 = tt.expand_dims %m_2 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %v = arith.muli %r, %C : i32
    %v_4 = tt.addptr %x, %v : !tt.ptr<f32>, i32
    %v_5 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v_6 = tt.splat %v_4 : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
    %v_7 = tt.addptr %v_6, %v_5 : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    %v_8 = tt.load %v_7, %m_3, %cst_1 : tensor<1x64x!tt.ptr<f32>>
    %mu = "tt.reduce"(%v_8) <{axis = 1 : i32}> ({
    ^bb0(%mu_20: f32, %mu_21: f32):
      %mu_22 = arith.addf %mu_20, %mu_21 : f32
      tt.reduce.return %mu_22 : f32
    }) : (tensor<1x64xf32>) -> tensor<1xf32>
    %mu_9 = arith.sitofp %C : i32 to f32
    %mu_10 = tt.splat %mu_9 : f32 -> tensor<1xf32>
    %mu_11 = arith.divf %mu, %mu_10 : tensor<1xf32>
    %d = tt.expand_dims %mu_11 {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %d_12 = tt.broadcast %d : tensor<1x1xf32> -> tensor<1x64xf32>
    %d_13 = arith.subf %v_8, %d_12 : tensor<1x64xf32>
    %d_14 = arith.select %m_3, %d_13, %cst_1 : tensor<1x64xi1>, tensor<1x64xf32>
    %var = arith.mulf %d_14, %d_14 : tensor<1x64xf32>
    %var_15 = "tt.reduce"(%var) <{axis = 1 : i32}> ({
    ^bb0(%var_20: f32, %var_21: f32):
      %var_22 = arith.addf %var_20, %var_21 : f32
      tt.reduce.return %var_22 : f32
    }) : (tensor<1x64xf32>) -> tensor<1xf32>
    %var_16 = arith.divf %var_15, %mu_10 : tensor<1xf32>
    %rs_17 = arith.addf %var_16, %rs_0 : tensor<1xf32>
    %rs_18 = math.sqrt %rs_17 : tensor<1xf32>
    %rs_19 = arith.divf %rs, %rs_18 : tensor<1xf32>
    %0 = tt.addptr %o, %v : !tt.ptr<f32>, i32
    %1 = tt.splat %0 : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
    %2 = tt.addptr %1, %v_5 : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    %3 = tt.expand_dims %rs_19 {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %4 = tt.broadcast %3 : tensor<1x1xf32> -> tensor<1x64xf32>
    %5 = arith.mulf %d_14, %4 : tensor<1x64xf32>
    %6 = tt.splat %w : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %7 = tt.addptr %6, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %8 = tt.load %7, %m_2, %cst : tensor<64x!tt.ptr<f32>>
    %9 = tt.expand_dims %8 {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %10 = arith.mulf %5, %9 : tensor<1x64xf32>
    tt.store %2, %10, %m_3 : tensor<1x64x!tt.ptr<f32>>
    %11 = tt.addptr %w, %c100_i32 : !tt.ptr<f32>, i32
    %12 = tt.addptr %11, %r : !tt.ptr<f32>, i32
    %13 = tt.splat %12 : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
    tt.store %13, %rs_19 : tensor<1x!tt.ptr<f32>>
    tt.return
  }
}
