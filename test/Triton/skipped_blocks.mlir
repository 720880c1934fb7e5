// Attention that skips a block where its mask excludes all of it: the warp group that loads does not know, so that the
// block is computed and its results are chosen.
// RUN: heddle run %s --device=sim --grid=3 --scalars=n=150,window=40 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=n=150,window=40 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=problem | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: node dot
module {
  tt.func public @attn(%Q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %K: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %V: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32,
        %window: i32) attributes {noinline = false} {
    %l = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c32_i32 = arith.constant 32 : i32
    %q = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %cst_1 = arith.constant dense<64> : tensor<32x1xi32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<64x32xf32>
    %cst_3 = arith.constant dense<1.250000e-01> : tensor<64x32xf32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %cst_5 = arith.constant dense<64> : tensor<1x32xi32>
    %c0_i32 = arith.constant 0 : i32
    %m = arith.constant dense<-1.000000e+20> : tensor<64xf32>
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_7 = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %m0 = tt.get_program_id x : i32
    %m0_8 = arith.muli %m0, %c64_i32 : i32
    %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows_9 = tt.splat %m0_8 : i32 -> tensor<64xi32>
    %rows_10 = arith.addi %rows_9, %rows : tensor<64xi32>
    %cols = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %q_11 = tt.expand_dims %rows_10 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %q_12 = tt.splat %n : i32 -> tensor<64x1xi32>
    %q_13 = arith.cmpi slt, %q_11, %q_12 : tensor<64x1xi32>
    %q_14 = arith.muli %q_11, %cst_7 : tensor<64x1xi32>
    %q_15 = tt.splat %Q : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %q_16 = tt.addptr %q_15, %q_14 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %q_17 = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %q_18 = tt.broadcast %q_16 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %q_19 = tt.broadcast %q_17 : tensor<1x64xi32> -> tensor<64x64xi32>
    %q_20 = tt.addptr %q_18, %q_19 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %q_21 = tt.broadcast %q_13 : tensor<64x1xi1> -> tensor<64x64xi1>
    %q_22 = tt.load %q_20, %q_21, %q : tensor<64x64x!tt.ptr<f16>>
    %m_23:3 = scf.for %j = %c0_i32 to %n step %c32_i32 iter_args(%acc = %cst_6, %l_24 = %l, %m_25 = %m) ->
          (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>)  : i32 {
      %c = tt.splat %j : i32 -> tensor<32xi32>
      %c_26 = arith.addi %c, %cols : tensor<32xi32>
      %keep = tt.expand_dims %c_26 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %keep_27 = tt.broadcast %keep : tensor<1x32xi32> -> tensor<64x32xi32>
      %keep_28 = tt.broadcast %q_11 : tensor<64x1xi32> -> tensor<64x32xi32>
      %keep_29 = arith.cmpi sle, %keep_27, %keep_28 : tensor<64x32xi32>
      %keep_30 = arith.subi %keep_28, %keep_27 : tensor<64x32xi32>
      %keep_31 = tt.splat %window : i32 -> tensor<64x32xi32>
      %keep_32 = arith.cmpi slt, %keep_30, %keep_31 : tensor<64x32xi32>
      %keep_33 = arith.andi %keep_29, %keep_32 : tensor<64x32xi1>
      %keep_34 = tt.splat %n : i32 -> tensor<1x32xi32>
      %keep_35 = arith.cmpi slt, %keep, %keep_34 : tensor<1x32xi32>
      %keep_36 = tt.broadcast %keep_35 : tensor<1x32xi1> -> tensor<64x32xi1>
      %keep_37 = arith.andi %keep_33, %keep_36 : tensor<64x32xi1>
      %any_ = arith.extui %keep_37 : tensor<64x32xi1> to tensor<64x32xi32>
      %any__38 = "tt.reduce"(%any_) <{axis = 1 : i32}> ({
      ^bb0(%any__40: i32, %any__41: i32):
        %any__42 = arith.maxsi %any__40, %any__41 : i32
        tt.reduce.return %any__42 : i32
      }) : (tensor<64x32xi32>) -> tensor<64xi32>
      %any__39 = "tt.reduce"(%any__38) <{axis = 0 : i32}> ({
      ^bb0(%any__40: i32, %any__41: i32):
        %any__42 = arith.maxsi %any__40, %any__41 : i32
        tt.reduce.return %any__42 : i32
      }) : (tensor<64xi32>) -> i32
      %8 = arith.cmpi ne, %any__39, %c0_i32 : i32
      %9:3 = scf.if %8 -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) {
        %k = arith.muli %keep, %cst_5 : tensor<1x32xi32>
        %k_40 = tt.splat %K : !tt.ptr<f16> -> tensor<1x32x!tt.ptr<f16>>
        %k_41 = tt.addptr %k_40, %k : tensor<1x32x!tt.ptr<f16>>, tensor<1x32xi32>
        %k_42 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
        %k_43 = tt.broadcast %k_41 : tensor<1x32x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
        %k_44 = tt.broadcast %k_42 : tensor<64x1xi32> -> tensor<64x32xi32>
        %k_45 = tt.addptr %k_43, %k_44 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
        %k_46 = tt.load %k_45, %keep_36, %cst_0 : tensor<64x32x!tt.ptr<f16>>
        %s = tt.dot %q_22, %k_46, %cst_4, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> ->
              tensor<64x32xf32>
        %s_47 = arith.mulf %s, %cst_3 : tensor<64x32xf32>
        %s_48 = arith.select %keep_37, %s_47, %cst_2 : tensor<64x32xi1>, tensor<64x32xf32>
        %mj = "tt.reduce"(%s_48) <{axis = 1 : i32}> ({
        ^bb0(%mj_72: f32, %mj_73: f32):
          %mj_74 = arith.maxnumf %mj_72, %mj_73 : f32
          tt.reduce.return %mj_74 : f32
        }) : (tensor<64x32xf32>) -> tensor<64xf32>
        %m_49 = arith.maxnumf %m_25, %mj : tensor<64xf32>
        %p = tt.expand_dims %m_49 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
        %p_50 = tt.broadcast %p : tensor<64x1xf32> -> tensor<64x32xf32>
        %p_51 = arith.subf %s_48, %p_50 : tensor<64x32xf32>
        %p_52 = math.exp %p_51 : tensor<64x32xf32>
        %a = arith.subf %m_25, %m_49 : tensor<64xf32>
        %a_53 = math.exp %a : tensor<64xf32>
        %l_54 = arith.mulf %l_24, %a_53 : tensor<64xf32>
        %l_55 = "tt.reduce"(%p_52) <{axis = 1 : i32}> ({
        ^bb0(%l_72: f32, %l_73: f32):
          %l_74 = arith.addf %l_72, %l_73 : f32
          tt.reduce.return %l_74 : f32
        }) : (tensor<64x32xf32>) -> tensor<64xf32>
        %l_56 = arith.addf %l_54, %l_55 : tensor<64xf32>
        %v = tt.expand_dims %c_26 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
        %v_57 = tt.splat %n : i32 -> tensor<32x1xi32>
        %v_58 = arith.cmpi slt, %v, %v_57 : tensor<32x1xi32>
        %v_59 = arith.muli %v, %cst_1 : tensor<32x1xi32>
        %v_60 = tt.splat %V : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
        %v_61 = tt.addptr %v_60, %v_59 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
        %v_62 = tt.broadcast %v_61 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
        %v_63 = tt.broadcast %q_17 : tensor<1x64xi32> -> tensor<32x64xi32>
        %v_64 = tt.addptr %v_62, %v_63 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
        %v_65 = tt.broadcast %v_58 : tensor<32x1xi1> -> tensor<32x64xi1>
        %v_66 = tt.load %v_64, %v_65, %cst : tensor<32x64x!tt.ptr<f16>>
        %acc_67 = tt.expand_dims %a_53 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
        %acc_68 = tt.broadcast %acc_67 : tensor<64x1xf32> -> tensor<64x64xf32>
        %acc_69 = arith.mulf %acc, %acc_68 : tensor<64x64xf32>
        %acc_70 = arith.truncf %p_52 : tensor<64x32xf32> to tensor<64x32xf16>
        %acc_71 = tt.dot %acc_70, %v_66, %acc_69, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> ->
              tensor<64x64xf32>
        scf.yield %acc_71, %l_56, %m_49 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
      } else {
        scf.yield %acc, %l_24, %m_25 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
      }
      scf.yield %9#0, %9#1, %9#2 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
    }
    %0 = tt.splat %O : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %1 = tt.addptr %0, %q_14 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %2 = tt.broadcast %1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %3 = tt.addptr %2, %q_19 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %4 = tt.expand_dims %m_23#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %5 = tt.broadcast %4 : tensor<64x1xf32> -> tensor<64x64xf32>
    %6 = arith.divf %m_23#0, %5 : tensor<64x64xf32>
    %7 = arith.truncf %6 : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %3, %7, %q_21 : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
