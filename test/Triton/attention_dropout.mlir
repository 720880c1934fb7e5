// Attention with dropout: a generator of random numbers between two products. Both halves of its products come from one
// instruction, and no number among its steps divides them: they are one loop over the elements of a thread.
// RUN: heddle run %s --device=sim --grid=2,1 --scalars=sm_scale=0.125,p=0.2,seed=7,N=200 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,1 --scalars=sm_scale=0.125,p=0.2,seed=7,N=200 \
// RUN:   | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: = ::hd::multiplyLow
// CUDA-NOT: for (
// CUDA-COUNT-6: = ::hd::multiplyHigh
// CUDA: } else {
module {
  tt.func public @attn(%Q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %K: !tt.ptr<f16> {tt.divisibility = 16 : i32},
          %V: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %O: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sm_scale:
          f32, %p: f32, %seed: i32, %N: i32) attributes {noinline = false} {
    %c-766435501_i32 = arith.constant -766435501 : i32
    %c-845247145_i32 = arith.constant -845247145 : i32
    %c32_i64 = arith.constant 32 : i64
    %c4294967295_i64 = arith.constant 4294967295 : i64
    %c-1879881855_i32 = arith.constant -1879881855 : i32
    %c-616729560_i32 = arith.constant -616729560 : i32
    %c534103459_i32 = arith.constant 534103459 : i32
    %c1401181199_i32 = arith.constant 1401181199 : i32
    %c1684936478_i32 = arith.constant 1684936478 : i32
    %c-1253254570_i32 = arith.constant -1253254570 : i32
    %c-1459197799_i32 = arith.constant -1459197799 : i32
    %c387276957_i32 = arith.constant 387276957 : i32
    %c-308364780_i32 = arith.constant -308364780 : i32
    %c2027808484_i32 = arith.constant 2027808484 : i32
    %c842468239_i32 = arith.constant 842468239 : i32
    %c-626627285_i32 = arith.constant -626627285 : i32
    %c1993301258_i32 = arith.constant 1993301258 : i32
    %c1013904242_i32 = arith.constant 1013904242 : i32
    %c-1150833019_i32 = arith.constant -1150833019 : i32
    %c-1640531527_i32 = arith.constant -1640531527 : i32
    %cst = arith.constant dense<-766435501> : tensor<128x64xi32>
    %cst_0 = arith.constant dense<-845247145> : tensor<128x64xi32>
    %cst_1 = arith.constant dense<0> : tensor<128x64xi32>
    %cst_2 = arith.constant dense<4.6566126E-10> : tensor<128x64xf32>
    %cst_3 = arith.constant dense<1> : tensor<128x64xi32>
    %l_i = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %q = arith.constant dense<0.000000e+00> : tensor<128x64xf16>
    %acc = arith.constant 1.000000e+00 : f32
    %cst_5 = arith.constant dense<64> : tensor<64x1xi32>
    %cst_6 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
    %cst_7 = arith.constant dense<64> : tensor<1x64xi32>
    %cst_8 = arith.constant 1.44269502 : f32
    %m_i = arith.constant dense<0xFF800000> : tensor<128xf32>
    %cst_9 = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
    %cst_10 = arith.constant dense<64> : tensor<128x1xi32>
    %c128_i32 = arith.constant 128 : i32
    %base = arith.constant 64 : i64
    %start_m = tt.get_program_id x : i32
    %bh = tt.get_program_id y : i32
    %base_11 = arith.extsi %bh : i32 to i64
    %base_12 = arith.extsi %N : i32 to i64
    %base_13 = arith.muli %base_11, %base_12 : i64
    %base_14 = arith.muli %base_13, %base : i64
    %offs_m = arith.muli %start_m, %c128_i32 : i32
    %offs_m_15 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %offs_m_16 = tt.splat %offs_m : i32 -> tensor<128xi32>
    %offs_m_17 = arith.addi %offs_m_16, %offs_m_15 : tensor<128xi32>
    %offs_n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %q_18 = tt.expand_dims %offs_m_17 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %q_19 = tt.splat %N : i32 -> tensor<128x1xi32>
    %q_20 = arith.cmpi slt, %q_18, %q_19 : tensor<128x1xi32>
    %q_21 = tt.addptr %Q, %base_14 : !tt.ptr<f16>, i64
    %q_22 = arith.muli %q_18, %cst_10 : tensor<128x1xi32>
    %q_23 = tt.splat %q_21 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %q_24 = tt.addptr %q_23, %q_22 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %q_25 = tt.expand_dims %offs_n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %q_26 = tt.broadcast %q_24 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %q_27 = tt.broadcast %q_25 : tensor<1x64xi32> -> tensor<128x64xi32>
    %q_28 = tt.addptr %q_26, %q_27 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %q_29 = tt.broadcast %q_20 : tensor<128x1xi1> -> tensor<128x64xi1>
    %q_30 = tt.load %q_28, %q_29, %q : tensor<128x64x!tt.ptr<f16>>
    %qs = arith.mulf %sm_scale, %cst_8 : f32
    %philox_base = arith.muli %bh, %N : i32
    %philox_base_31 = arith.muli %philox_base, %N : i32
    %acc_32:3 = scf.for %n = %c0_i32 to %N step %c64_i32 iter_args(%m_i_39 = %m_i, %l_i_40 = %l_i, %acc_41 = %cst_9)
          -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>)  : i32 {
      %cols = tt.splat %n : i32 -> tensor<64xi32>
      %cols_42 = arith.addi %cols, %offs_n : tensor<64xi32>
      %k = tt.expand_dims %cols_42 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %k_43 = tt.splat %N : i32 -> tensor<1x64xi32>
      %k_44 = arith.cmpi slt, %k, %k_43 : tensor<1x64xi32>
      %k_45 = tt.addptr %K, %base_14 : !tt.ptr<f16>, i64
      %k_46 = arith.muli %k, %cst_7 : tensor<1x64xi32>
      %k_47 = tt.splat %k_45 : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
      %k_48 = tt.addptr %k_47, %k_46 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
      %k_49 = tt.expand_dims %offs_n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %k_50 = tt.broadcast %k_48 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %k_51 = tt.broadcast %k_49 : tensor<64x1xi32> -> tensor<64x64xi32>
      %k_52 = tt.addptr %k_50, %k_51 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %k_53 = tt.broadcast %k_44 : tensor<1x64xi1> -> tensor<64x64xi1>
      %k_54 = tt.load %k_52, %k_53, %cst_4 : tensor<64x64x!tt.ptr<f16>>
      %s = tt.dot %q_30, %k_54, %cst_9, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16> ->
          tensor<128x64xf32>
      %s_55 = tt.splat %qs : f32 -> tensor<128x64xf32>
      %s_56 = arith.mulf %s, %s_55 : tensor<128x64xf32>
      %s_57 = tt.broadcast %k_44 : tensor<1x64xi1> -> tensor<128x64xi1>
      %s_58 = arith.select %s_57, %s_56, %cst_6 : tensor<128x64xi1>, tensor<128x64xf32>
      %m_ij = "tt.reduce"(%s_58) <{axis = 1 : i32}> ({
      ^bb0(%m_ij_194: f32, %m_ij_195: f32):
        %m_ij_196 = arith.maxnumf %m_ij_194, %m_ij_195 : f32
        tt.reduce.return %m_ij_196 : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %m_ij_59 = arith.maxnumf %m_i_39, %m_ij : tensor<128xf32>
      %pr = tt.expand_dims %m_ij_59 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
      %pr_60 = tt.broadcast %pr : tensor<128x1xf32> -> tensor<128x64xf32>
      %pr_61 = arith.subf %s_58, %pr_60 : tensor<128x64xf32>
      %pr_62 = math.exp2 %pr_61 : tensor<128x64xf32>
      %l_ij = "tt.reduce"(%pr_62) <{axis = 1 : i32}> ({
      ^bb0(%l_ij_194: f32, %l_ij_195: f32):
        %l_ij_196 = arith.addf %l_ij_194, %l_ij_195 : f32
        tt.reduce.return %l_ij_196 : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %offs = arith.muli %q_18, %q_19 : tensor<128x1xi32>
      %offs_63 = tt.splat %philox_base_31 : i32 -> tensor<128x1xi32>
      %offs_64 = arith.addi %offs_63, %offs : tensor<128x1xi32>
      %offs_65 = tt.broadcast %offs_64 : tensor<128x1xi32> -> tensor<128x64xi32>
      %offs_66 = tt.broadcast %k : tensor<1x64xi32> -> tensor<128x64xi32>
      %offs_67 = arith.addi %offs_65, %offs_66 : tensor<128x64xi32>
      %seed_68 = arith.extsi %seed : i32 to i64
      %seed_hi = arith.shrui %seed_68, %c32_i64 : i64
      %seed_hi_69 = arith.andi %seed_hi, %c4294967295_i64 : i64
      %seed_hi_70 = arith.trunci %seed_hi_69 : i64 to i32
      %seed_lo = arith.andi %seed_68, %c4294967295_i64 : i64
      %seed_lo_71 = arith.trunci %seed_lo : i64 to i32
      %c0 = tt.mulhiui %c-845247145_i32, %c0_i32 : i32
      %c0_72 = arith.xori %c0, %seed_lo_71 : i32
      %c2 = tt.mulhiui %cst, %offs_67 : tensor<128x64xi32>
      %c2_73 = tt.splat %seed_hi_70 : i32 -> tensor<128x64xi32>
      %c2_74 = arith.xori %c2, %c2_73 : tensor<128x64xi32>
      %c3 = arith.muli %offs_67, %cst : tensor<128x64xi32>
      %k0 = arith.addi %seed_lo_71, %c-1640531527_i32 : i32
      %k1 = arith.addi %seed_hi_70, %c-1150833019_i32 : i32
      %c0_75 = tt.mulhiui %cst_0, %c2_74 : tensor<128x64xi32>
      %c0_76 = tt.splat %k0 : i32 -> tensor<128x64xi32>
      %c0_77 = arith.xori %c0_75, %c0_76 : tensor<128x64xi32>
      %c2_78 = tt.mulhiui %c-766435501_i32, %c0_72 : i32
      %c2_79 = tt.splat %c2_78 : i32 -> tensor<128x64xi32>
      %c2_80 = arith.xori %c2_79, %c3 : tensor<128x64xi32>
      %c2_81 = tt.splat %k1 : i32 -> tensor<128x64xi32>
      %c2_82 = arith.xori %c2_80, %c2_81 : tensor<128x64xi32>
      %c1 = arith.muli %c2_74, %cst_0 : tensor<128x64xi32>
      %c3_83 = arith.muli %c0_72, %c-766435501_i32 : i32
      %c3_84 = tt.splat %c3_83 : i32 -> tensor<128x64xi32>
      %k0_85 = arith.addi %seed_lo_71, %c1013904242_i32 : i32
      %k1_86 = arith.addi %seed_hi_70, %c1993301258_i32 : i32
      %c0_87 = tt.mulhiui %cst_0, %c2_82 : tensor<128x64xi32>
      %c0_88 = arith.xori %c0_87, %c1 : tensor<128x64xi32>
      %c0_89 = tt.splat %k0_85 : i32 -> tensor<128x64xi32>
      %c0_90 = arith.xori %c0_88, %c0_89 : tensor<128x64xi32>
      %c2_91 = tt.mulhiui %cst, %c0_77 : tensor<128x64xi32>
      %c2_92 = arith.xori %c2_91, %c3_84 : tensor<128x64xi32>
      %c2_93 = tt.splat %k1_86 : i32 -> tensor<128x64xi32>
      %c2_94 = arith.xori %c2_92, %c2_93 : tensor<128x64xi32>
      %c1_95 = arith.muli %c2_82, %cst_0 : tensor<128x64xi32>
      %c3_96 = arith.muli %c0_77, %cst : tensor<128x64xi32>
      %k0_97 = arith.addi %seed_lo_71, %c-626627285_i32 : i32
      %k1_98 = arith.addi %seed_hi_70, %c842468239_i32 : i32
      %c0_99 = tt.mulhiui %cst_0, %c2_94 : tensor<128x64xi32>
      %c0_100 = arith.xori %c0_99, %c1_95 : tensor<128x64xi32>
      %c0_101 = tt.splat %k0_97 : i32 -> tensor<128x64xi32>
      %c0_102 = arith.xori %c0_100, %c0_101 : tensor<128x64xi32>
      %c2_103 = tt.mulhiui %cst, %c0_90 : tensor<128x64xi32>
      %c2_104 = arith.xori %c2_103, %c3_96 : tensor<128x64xi32>
      %c2_105 = tt.splat %k1_98 : i32 -> tensor<128x64xi32>
      %c2_106 = arith.xori %c2_104, %c2_105 : tensor<128x64xi32>
      %c1_107 = arith.muli %c2_94, %cst_0 : tensor<128x64xi32>
      %c3_108 = arith.muli %c0_90, %cst : tensor<128x64xi32>
      %k0_109 = arith.addi %seed_lo_71, %c2027808484_i32 : i32
      %k1_110 = arith.addi %seed_hi_70, %c-308364780_i32 : i32
      %c0_111 = tt.mulhiui %cst_0, %c2_106 : tensor<128x64xi32>
      %c0_112 = arith.xori %c0_111, %c1_107 : tensor<128x64xi32>
      %c0_113 = tt.splat %k0_109 : i32 -> tensor<128x64xi32>
      %c0_114 = arith.xori %c0_112, %c0_113 : tensor<128x64xi32>
      %c2_115 = tt.mulhiui %cst, %c0_102 : tensor<128x64xi32>
      %c2_116 = arith.xori %c2_115, %c3_108 : tensor<128x64xi32>
      %c2_117 = tt.splat %k1_110 : i32 -> tensor<128x64xi32>
      %c2_118 = arith.xori %c2_116, %c2_117 : tensor<128x64xi32>
      %c1_119 = arith.muli %c2_106, %cst_0 : tensor<128x64xi32>
      %c3_120 = arith.muli %c0_102, %cst : tensor<128x64xi32>
      %k0_121 = arith.addi %seed_lo_71, %c387276957_i32 : i32
      %k1_122 = arith.addi %seed_hi_70, %c-1459197799_i32 : i32
      %c0_123 = tt.mulhiui %cst_0, %c2_118 : tensor<128x64xi32>
      %c0_124 = arith.xori %c0_123, %c1_119 : tensor<128x64xi32>
      %c0_125 = tt.splat %k0_121 : i32 -> tensor<128x64xi32>
      %c0_126 = arith.xori %c0_124, %c0_125 : tensor<128x64xi32>
      %c2_127 = tt.mulhiui %cst, %c0_114 : tensor<128x64xi32>
      %c2_128 = arith.xori %c2_127, %c3_120 : tensor<128x64xi32>
      %c2_129 = tt.splat %k1_122 : i32 -> tensor<128x64xi32>
      %c2_130 = arith.xori %c2_128, %c2_129 : tensor<128x64xi32>
      %c1_131 = arith.muli %c2_118, %cst_0 : tensor<128x64xi32>
      %c3_132 = arith.muli %c0_114, %cst : tensor<128x64xi32>
      %k0_133 = arith.addi %seed_lo_71, %c-1253254570_i32 : i32
      %k1_134 = arith.addi %seed_hi_70, %c1684936478_i32 : i32
      %c0_135 = tt.mulhiui %cst_0, %c2_130 : tensor<128x64xi32>
      %c0_136 = arith.xori %c0_135, %c1_131 : tensor<128x64xi32>
      %c0_137 = tt.splat %k0_133 : i32 -> tensor<128x64xi32>
      %c0_138 = arith.xori %c0_136, %c0_137 : tensor<128x64xi32>
      %c2_139 = tt.mulhiui %cst, %c0_126 : tensor<128x64xi32>
      %c2_140 = arith.xori %c2_139, %c3_132 : tensor<128x64xi32>
      %c2_141 = tt.splat %k1_134 : i32 -> tensor<128x64xi32>
      %c2_142 = arith.xori %c2_140, %c2_141 : tensor<128x64xi32>
      %c1_143 = arith.muli %c2_130, %cst_0 : tensor<128x64xi32>
      %c3_144 = arith.muli %c0_126, %cst : tensor<128x64xi32>
      %k0_145 = arith.addi %seed_lo_71, %c1401181199_i32 : i32
      %k1_146 = arith.addi %seed_hi_70, %c534103459_i32 : i32
      %c0_147 = tt.mulhiui %cst_0, %c2_142 : tensor<128x64xi32>
      %c0_148 = arith.xori %c0_147, %c1_143 : tensor<128x64xi32>
      %c0_149 = tt.splat %k0_145 : i32 -> tensor<128x64xi32>
      %c0_150 = arith.xori %c0_148, %c0_149 : tensor<128x64xi32>
      %c2_151 = tt.mulhiui %cst, %c0_138 : tensor<128x64xi32>
      %c2_152 = arith.xori %c2_151, %c3_144 : tensor<128x64xi32>
      %c2_153 = tt.splat %k1_146 : i32 -> tensor<128x64xi32>
      %c2_154 = arith.xori %c2_152, %c2_153 : tensor<128x64xi32>
      %c3_155 = arith.muli %c0_138, %cst : tensor<128x64xi32>
      %k1_156 = arith.addi %seed_hi_70, %c-616729560_i32 : i32
      %c2_157 = tt.mulhiui %cst, %c0_150 : tensor<128x64xi32>
      %c2_158 = arith.xori %c2_157, %c3_155 : tensor<128x64xi32>
      %c2_159 = tt.splat %k1_156 : i32 -> tensor<128x64xi32>
      %c2_160 = arith.xori %c2_158, %c2_159 : tensor<128x64xi32>
      %c1_161 = arith.muli %c2_154, %cst_0 : tensor<128x64xi32>
      %k0_162 = arith.addi %seed_lo_71, %c-1879881855_i32 : i32
      %c0_163 = tt.mulhiui %cst_0, %c2_160 : tensor<128x64xi32>
      %c0_164 = arith.xori %c0_163, %c1_161 : tensor<128x64xi32>
      %c0_165 = tt.splat %k0_162 : i32 -> tensor<128x64xi32>
      %c0_166 = arith.xori %c0_164, %c0_165 : tensor<128x64xi32>
      %x = tt.bitcast %c0_166 : tensor<128x64xi32> -> tensor<128x64xi32>
      %x_167 = arith.cmpi slt, %x, %cst_1 : tensor<128x64xi32>
      %x_168 = arith.subi %cst_1, %x : tensor<128x64xi32>
      %x_169 = arith.subi %x_168, %cst_3 : tensor<128x64xi32>
      %x_170 = arith.select %x_167, %x_169, %x : tensor<128x64xi1>, tensor<128x64xi32>
      %keep = arith.sitofp %x_170 : tensor<128x64xi32> to tensor<128x64xf32>
      %keep_171 = arith.mulf %keep, %cst_2 : tensor<128x64xf32>
      %keep_172 = tt.splat %p : f32 -> tensor<128x64xf32>
      %keep_173 = arith.cmpf ogt, %keep_171, %keep_172 : tensor<128x64xf32>
      %pr_174 = arith.select %keep_173, %pr_62, %cst_9 : tensor<128x64xi1>, tensor<128x64xf32>
      %alpha = arith.subf %m_i_39, %m_ij_59 : tensor<128xf32>
      %alpha_175 = math.exp2 %alpha : tensor<128xf32>
      %acc_176 = tt.expand_dims %alpha_175 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
      %acc_177 = tt.broadcast %acc_176 : tensor<128x1xf32> -> tensor<128x64xf32>
      %acc_178 = arith.mulf %acc_41, %acc_177 : tensor<128x64xf32>
      %l_i_179 = arith.mulf %l_i_40, %alpha_175 : tensor<128xf32>
      %l_i_180 = arith.addf %l_i_179, %l_ij : tensor<128xf32>
      %v = tt.expand_dims %cols_42 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %v_181 = tt.splat %N : i32 -> tensor<64x1xi32>
      %v_182 = arith.cmpi slt, %v, %v_181 : tensor<64x1xi32>
      %v_183 = tt.addptr %V, %base_14 : !tt.ptr<f16>, i64
      %v_184 = arith.muli %v, %cst_5 : tensor<64x1xi32>
      %v_185 = tt.splat %v_183 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %v_186 = tt.addptr %v_185, %v_184 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %v_187 = tt.broadcast %v_186 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %v_188 = tt.broadcast %q_25 : tensor<1x64xi32> -> tensor<64x64xi32>
      %v_189 = tt.addptr %v_187, %v_188 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %v_190 = tt.broadcast %v_182 : tensor<64x1xi1> -> tensor<64x64xi1>
      %v_191 = tt.load %v_189, %v_190, %cst_4 : tensor<64x64x!tt.ptr<f16>>
      %acc_192 = arith.truncf %pr_174 : tensor<128x64xf32> to tensor<128x64xf16>
      %acc_193 = tt.dot %acc_192, %v_191, %acc_178, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16> ->
          tensor<128x64xf32>
      scf.yield %m_ij_59, %l_i_180, %acc_193 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
    }
    %acc_33 = tt.expand_dims %acc_32#1 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %acc_34 = tt.broadcast %acc_33 : tensor<128x1xf32> -> tensor<128x64xf32>
    %acc_35 = arith.divf %acc_32#2, %acc_34 : tensor<128x64xf32>
    %acc_36 = arith.subf %acc, %p : f32
    %acc_37 = tt.splat %acc_36 : f32 -> tensor<128x64xf32>
    %acc_38 = arith.divf %acc_35, %acc_37 : tensor<128x64xf32>
    %0 = tt.addptr %O, %base_14 : !tt.ptr<f16>, i64
    %1 = tt.splat %0 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %2 = tt.addptr %1, %q_22 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %3 = tt.broadcast %2 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %4 = tt.addptr %3, %q_27 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %5 = arith.truncf %acc_38 : tensor<128x64xf32> to tensor<128x64xf16>
    tt.store %4, %5, %q_29 : tensor<128x64x!tt.ptr<f16>>
    tt.return
  }
}
