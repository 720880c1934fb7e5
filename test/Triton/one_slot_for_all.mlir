// Lightning attention with states of 128 x 128: tiles that groups fill for themselves fit with one slot each, which is
// the last form of such a program that is tried.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: // Shared memory: 2{{[0-9]+}} bytes
module {
  tt.func public @_fwd_lightning(%Q: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %K: !tt.ptr<bf16> {tt.divisibility =
        16 : i32}, %V: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %Out: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
        %S: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %c63_i32 = arith.constant 63 : i32
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x32xbf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xbf16>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_2 = arith.constant dense<64> : tensor<64xi32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<128x32xf32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %cst_5 = arith.constant dense<128> : tensor<1x64xi32>
    %cst_6 = arith.constant dense<128> : tensor<64x1xi32>
    %s_index = arith.constant dense<0xFF800000> : tensor<64x64xf32>
    %cst_7 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %s_index_8 = arith.constant dense<0> : tensor<64x64xi32>
    %block_decay = arith.constant 6.400000e+01 : f32
    %k_trans_decay = arith.constant dense<64> : tensor<1x64xi32>
    %cst_9 = arith.constant 0.000000e+00 : f32
    %c32_i32 = arith.constant 32 : i32
    %c128_i32 = arith.constant 128 : i32
    %c16_i32 = arith.constant 16 : i32
    %off_bh = tt.get_program_id x : i32
    %off_h = arith.remsi %off_bh, %c16_i32 : i32
    %off_e = tt.get_program_id y : i32
    %qk_offset = arith.muli %off_bh, %n : i32
    %qk_offset_10 = arith.muli %qk_offset, %c128_i32 : i32
    %e_offset = arith.muli %off_e, %c32_i32 : i32
    %Q_block_ptr = tt.addptr %Q, %qk_offset_10 : !tt.ptr<bf16>, i32
    %Q_block_ptr_11 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %Q_block_ptr_12 = tt.expand_dims %Q_block_ptr_11 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %Q_block_ptr_13 = tt.splat %Q_block_ptr : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>>
    %Q_block_ptr_14 = tt.addptr %Q_block_ptr_13, %Q_block_ptr_12 : tensor<1x128x!tt.ptr<bf16>>, tensor<1x128xi32>
    %K_trans_block_ptr = tt.addptr %K, %qk_offset_10 : !tt.ptr<bf16>, i32
    %K_trans_block_ptr_15 = tt.expand_dims %Q_block_ptr_11 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %K_trans_block_ptr_16 = tt.splat %K_trans_block_ptr : !tt.ptr<bf16> -> tensor<128x1x!tt.ptr<bf16>>
    %K_trans_block_ptr_17 = tt.addptr %K_trans_block_ptr_16, %K_trans_block_ptr_15 : tensor<128x1x!tt.ptr<bf16>>,
          tensor<128x1xi32>
    %V_block_ptr = tt.addptr %V, %qk_offset_10 : !tt.ptr<bf16>, i32
    %V_block_ptr_18 = tt.addptr %V_block_ptr, %e_offset : !tt.ptr<bf16>, i32
    %V_block_ptr_19 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %V_block_ptr_20 = tt.expand_dims %V_block_ptr_19 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %V_block_ptr_21 = tt.splat %V_block_ptr_18 : !tt.ptr<bf16> -> tensor<1x32x!tt.ptr<bf16>>
    %V_block_ptr_22 = tt.addptr %V_block_ptr_21, %V_block_ptr_20 : tensor<1x32x!tt.ptr<bf16>>, tensor<1x32xi32>
    %O_block_ptr = tt.addptr %Out, %qk_offset_10 : !tt.ptr<bf16>, i32
    %O_block_ptr_23 = tt.addptr %O_block_ptr, %e_offset : !tt.ptr<bf16>, i32
    %O_block_ptr_24 = tt.splat %O_block_ptr_23 : !tt.ptr<bf16> -> tensor<1x32x!tt.ptr<bf16>>
    %O_block_ptr_25 = tt.addptr %O_block_ptr_24, %V_block_ptr_20 : tensor<1x32x!tt.ptr<bf16>>, tensor<1x32xi32>
    %s = tt.addptr %S, %off_h : !tt.ptr<f32>, i32
    %s_26 = tt.load %s : !tt.ptr<f32>
    %off_block = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %q_decay = arith.subf %cst_9, %s_26 : f32
    %q_decay_27 = tt.expand_dims %off_block {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %q_decay_28 = arith.sitofp %q_decay_27 : tensor<64x1xi32> to tensor<64x1xf32>
    %q_decay_29 = tt.splat %q_decay : f32 -> tensor<64x1xf32>
    %q_decay_30 = arith.mulf %q_decay_29, %q_decay_28 : tensor<64x1xf32>
    %q_decay_31 = math.exp %q_decay_30 : tensor<64x1xf32>
    %k_trans_decay_32 = tt.expand_dims %off_block {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %k_trans_decay_33 = arith.subi %k_trans_decay, %k_trans_decay_32 : tensor<1x64xi32>
    %k_trans_decay_34 = arith.sitofp %k_trans_decay_33 : tensor<1x64xi32> to tensor<1x64xf32>
    %k_trans_decay_35 = tt.splat %q_decay : f32 -> tensor<1x64xf32>
    %k_trans_decay_36 = arith.mulf %k_trans_decay_35, %k_trans_decay_34 : tensor<1x64xf32>
    %k_trans_decay_37 = math.exp %k_trans_decay_36 : tensor<1x64xf32>
    %block_decay_38 = arith.mulf %q_decay, %block_decay : f32
    %block_decay_39 = math.exp %block_decay_38 : f32
    %index = tt.broadcast %q_decay_27 : tensor<64x1xi32> -> tensor<64x64xi32>
    %index_40 = tt.broadcast %k_trans_decay_32 : tensor<1x64xi32> -> tensor<64x64xi32>
    %index_41 = arith.subi %index, %index_40 : tensor<64x64xi32>
    %s_index_42 = arith.sitofp %index_41 : tensor<64x64xi32> to tensor<64x64xf32>
    %s_index_43 = tt.splat %s_26 : f32 -> tensor<64x64xf32>
    %s_index_44 = arith.mulf %s_index_43, %s_index_42 : tensor<64x64xf32>
    %s_index_45 = arith.cmpi sge, %index_41, %s_index_8 : tensor<64x64xi32>
    %s_index_46 = arith.subf %cst_7, %s_index_44 : tensor<64x64xf32>
    %s_index_47 = arith.select %s_index_45, %s_index_46, %s_index : tensor<64x64xi1>, tensor<64x64xf32>
    %diag_decay = math.exp %s_index_47 : tensor<64x64xf32>
    %0 = arith.addi %n, %c63_i32 : i32
    %1 = arith.divsi %0, %c64_i32 : i32
    %kv:2 = scf.for %i = %c0_i32 to %1 step %c1_i32 iter_args(%off_block_48 = %off_block, %kv_49 = %cst_3) ->
          (tensor<64xi32>, tensor<128x32xf32>)  : i32 {
      %q = tt.expand_dims %off_block_48 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %q_50 = tt.splat %n : i32 -> tensor<64x1xi32>
      %q_51 = arith.cmpi slt, %q, %q_50 : tensor<64x1xi32>
      %q_52 = arith.muli %q, %cst_6 : tensor<64x1xi32>
      %q_53 = tt.broadcast %Q_block_ptr_14 : tensor<1x128x!tt.ptr<bf16>> -> tensor<64x128x!tt.ptr<bf16>>
      %q_54 = tt.broadcast %q_52 : tensor<64x1xi32> -> tensor<64x128xi32>
      %q_55 = tt.addptr %q_53, %q_54 : tensor<64x128x!tt.ptr<bf16>>, tensor<64x128xi32>
      %q_56 = tt.broadcast %q_51 : tensor<64x1xi1> -> tensor<64x128xi1>
      %q_57 = tt.load %q_55, %q_56, %cst_1 : tensor<64x128x!tt.ptr<bf16>>
      %q_58 = arith.extf %q_57 : tensor<64x128xbf16> to tensor<64x128xf32>
      %k_trans = tt.expand_dims %off_block_48 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %k_trans_59 = tt.splat %n : i32 -> tensor<1x64xi32>
      %k_trans_60 = arith.cmpi slt, %k_trans, %k_trans_59 : tensor<1x64xi32>
      %k_trans_61 = arith.muli %k_trans, %cst_5 : tensor<1x64xi32>
      %k_trans_62 = tt.broadcast %K_trans_block_ptr_17 : tensor<128x1x!tt.ptr<bf16>> -> tensor<128x64x!tt.ptr<bf16>>
      %k_trans_63 = tt.broadcast %k_trans_61 : tensor<1x64xi32> -> tensor<128x64xi32>
      %k_trans_64 = tt.addptr %k_trans_62, %k_trans_63 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
      %k_trans_65 = tt.broadcast %k_trans_60 : tensor<1x64xi1> -> tensor<128x64xi1>
      %k_trans_66 = tt.load %k_trans_64, %k_trans_65, %cst_0 : tensor<128x64x!tt.ptr<bf16>>
      %k_trans_67 = arith.extf %k_trans_66 : tensor<128x64xbf16> to tensor<128x64xf32>
      %v = tt.broadcast %V_block_ptr_22 : tensor<1x32x!tt.ptr<bf16>> -> tensor<64x32x!tt.ptr<bf16>>
      %v_68 = tt.broadcast %q_52 : tensor<64x1xi32> -> tensor<64x32xi32>
      %v_69 = tt.addptr %v, %v_68 : tensor<64x32x!tt.ptr<bf16>>, tensor<64x32xi32>
      %v_70 = tt.broadcast %q_51 : tensor<64x1xi1> -> tensor<64x32xi1>
      %v_71 = tt.load %v_69, %v_70, %cst : tensor<64x32x!tt.ptr<bf16>>
      %v_72 = arith.extf %v_71 : tensor<64x32xbf16> to tensor<64x32xf32>
      %qk = tt.dot %q_58, %k_trans_67, %cst_7, inputPrecision = tf32 : tensor<64x128xf32> * tensor<128x64xf32> ->
            tensor<64x64xf32>
      %qk_73 = arith.mulf %qk, %diag_decay : tensor<64x64xf32>
      %o_inter = tt.dot %q_58, %kv_49, %cst_4, inputPrecision = tf32 : tensor<64x128xf32> * tensor<128x32xf32> ->
            tensor<64x32xf32>
      %o_inter_74 = tt.broadcast %q_decay_31 : tensor<64x1xf32> -> tensor<64x32xf32>
      %o_inter_75 = arith.mulf %o_inter, %o_inter_74 : tensor<64x32xf32>
      %o_intra = tt.dot %qk_73, %v_72, %o_inter_75, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x32xf32> ->
            tensor<64x32xf32>
      %2 = tt.broadcast %O_block_ptr_25 : tensor<1x32x!tt.ptr<bf16>> -> tensor<64x32x!tt.ptr<bf16>>
      %3 = tt.addptr %2, %v_68 : tensor<64x32x!tt.ptr<bf16>>, tensor<64x32xi32>
      %4 = arith.truncf %o_intra : tensor<64x32xf32> to tensor<64x32xbf16>
      tt.store %3, %4, %v_70 : tensor<64x32x!tt.ptr<bf16>>
      %kv_76 = tt.splat %block_decay_39 : f32 -> tensor<128x32xf32>
      %kv_77 = arith.mulf %kv_76, %kv_49 : tensor<128x32xf32>
      %kv_78 = tt.broadcast %k_trans_decay_37 : tensor<1x64xf32> -> tensor<128x64xf32>
      %kv_79 = arith.mulf %k_trans_67, %kv_78 : tensor<128x64xf32>
      %kv_80 = tt.dot %kv_79, %v_72, %kv_77, inputPrecision = tf32 : tensor<128x64xf32> * tensor<64x32xf32> ->
            tensor<128x32xf32>
      %off_block_81 = arith.addi %off_block_48, %cst_2 : tensor<64xi32>
      scf.yield %off_block_81, %kv_80 : tensor<64xi32>, tensor<128x32xf32>
    }
    tt.return
  }
}
