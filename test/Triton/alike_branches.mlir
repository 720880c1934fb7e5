// Inductor's product with sizes that the launch knows: both sides of a branch give the same rows, one of them with
// hints. They are rows of a box.
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<128x64xbf16>: box of view 'arg_A'
// EXPLAIN: wrapped beyond lane
// EXPLAIN: load of tensor<64x128xbf16>: box of view 'arg_B'
// RUN: heddle run %s --device=sim --grid=4 --scalars=ks0=200,ks1=136,ks2=136 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @triton_tem_fused_mm_0(%arg_A: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %arg_B: !tt.ptr<bf16>
        {tt.divisibility = 16 : i32}, %out_ptr0: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %ks0: i64
        {tt.divisibility = 16 : i32}, %ks1: i64 {tt.divisibility = 16 : i32}, %ks2: i64 {tt.divisibility = 16 : i32})
        attributes {noinline = false} {
    %c63_i64 = arith.constant 63 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xbf16>
    %c1_i64 = arith.constant 1 : i64
    %c127_i64 = arith.constant 127 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
    %c64_i64 = arith.constant 64 : i64
    %c8_i64 = arith.constant 8 : i64
    %c128_i64 = arith.constant 128 : i64
    %0 = arith.muli %ks0, %ks1 : i64
    %1 = arith.cmpi eq, %0, %c0_i64 : i64
    cf.cond_br %1, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    tt.return
  ^bb2:  // pred: ^bb0
    %pid = tt.get_program_id x : i32
    %grid_m = arith.addi %ks0, %c127_i64 : i64
    %grid_m_2 = arith.divsi %grid_m, %c128_i64 : i64
    %grid_n = arith.addi %ks1, %c127_i64 : i64
    %grid_n_3 = arith.divsi %grid_n, %c128_i64 : i64
    %width = arith.muli %grid_n_3, %c8_i64 : i64
    %group_id = arith.extsi %pid : i32 to i64
    %group_id_4 = arith.divsi %group_id, %width : i64
    %group_size = arith.muli %group_id_4, %c8_i64 : i64
    %group_size_5 = arith.subi %grid_m_2, %group_size : i64
    %group_size_6 = arith.minsi %group_size_5, %c8_i64 : i64
    %pid_m = arith.remsi %group_id, %group_size_6 : i64
    %pid_m_7 = arith.addi %group_size, %pid_m : i64
    %pid_n = arith.remsi %group_id, %width : i64
    %pid_n_8 = arith.divsi %pid_n, %group_size_6 : i64
    %2 = arith.cmpi sge, %pid_m_7, %c0_i64 : i64
    llvm.intr.assume %2 : i1
    %3 = arith.cmpi sge, %pid_n_8, %c0_i64 : i64
    llvm.intr.assume %3 : i1
    %rm = arith.muli %pid_m_7, %c128_i64 : i64
    %rm_9 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rm_10 = arith.extsi %rm_9 : tensor<128xi32> to tensor<128xi64>
    %rm_11 = tt.splat %rm : i64 -> tensor<128xi64>
    %rm_12 = arith.addi %rm_11, %rm_10 : tensor<128xi64>
    %rn = arith.muli %pid_n_8, %c128_i64 : i64
    %rn_13 = tt.splat %rn : i64 -> tensor<128xi64>
    %rn_14 = arith.addi %rn_13, %rm_10 : tensor<128xi64>
    %4 = arith.cmpi sge, %ks0, %c128_i64 : i64
    %5 = scf.if %4 -> (tensor<128xi64>) {
      %offs_a_m = tt.splat %ks0 : i64 -> tensor<128xi64>
      %offs_a_m_25 = arith.remsi %rm_12, %offs_a_m {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility =
            dense<128> : tensor<1xi32>} : tensor<128xi64>
      scf.yield %offs_a_m_25 : tensor<128xi64>
    } else {
      %offs_a_m = tt.splat %ks0 : i64 -> tensor<128xi64>
      %offs_a_m_25 = arith.remsi %rm_12, %offs_a_m : tensor<128xi64>
      scf.yield %offs_a_m_25 : tensor<128xi64>
    }
    %6 = arith.cmpi sge, %ks1, %c128_i64 : i64
    %7 = scf.if %6 -> (tensor<128xi64>) {
      %offs_b_n = tt.splat %ks1 : i64 -> tensor<128xi64>
      %offs_b_n_25 = arith.remsi %rn_14, %offs_b_n {tt.contiguity = dense<128> : tensor<1xi32>, tt.divisibility =
            dense<128> : tensor<1xi32>} : tensor<128xi64>
      scf.yield %offs_b_n_25 : tensor<128xi64>
    } else {
      %offs_b_n = tt.splat %ks1 : i64 -> tensor<128xi64>
      %offs_b_n_25 = arith.remsi %rn_14, %offs_b_n : tensor<128xi64>
      scf.yield %offs_b_n_25 : tensor<128xi64>
    }
    %offs_k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %8 = arith.addi %ks2, %c63_i64 : i64
    %9 = arith.divsi %8, %c64_i64 : i64
    %acc = scf.for %k_idx = %c0_i64 to %9 step %c1_i64 iter_args(%acc_25 = %cst_1) -> (tensor<128x128xf32>)  : i64 {
      %a_mask = tt.expand_dims %offs_k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %a_mask_26 = arith.muli %k_idx, %c64_i64 : i64
      %a_mask_27 = arith.subi %ks2, %a_mask_26 : i64
      %a_mask_28 = arith.extsi %a_mask : tensor<1x64xi32> to tensor<1x64xi64>
      %a_mask_29 = tt.splat %a_mask_27 : i64 -> tensor<1x64xi64>
      %a_mask_30 = arith.cmpi slt, %a_mask_28, %a_mask_29 : tensor<1x64xi64>
      %b_mask = tt.expand_dims %offs_k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %b_mask_31 = arith.extsi %b_mask : tensor<64x1xi32> to tensor<64x1xi64>
      %b_mask_32 = tt.splat %a_mask_27 : i64 -> tensor<64x1xi64>
      %b_mask_33 = arith.cmpi slt, %b_mask_31, %b_mask_32 : tensor<64x1xi64>
      %a_k_idx_vals = tt.splat %a_mask_26 : i64 -> tensor<1x64xi64>
      %a_k_idx_vals_34 = arith.addi %a_mask_28, %a_k_idx_vals : tensor<1x64xi64>
      %b_k_idx_vals = tt.splat %a_mask_26 : i64 -> tensor<64x1xi64>
      %b_k_idx_vals_35 = arith.addi %b_mask_31, %b_k_idx_vals : tensor<64x1xi64>
      %idx_m_36 = tt.expand_dims %5 {axis = 1 : i32} : tensor<128xi64> -> tensor<128x1xi64>
      %xindex_37 = tt.splat %ks2 : i64 -> tensor<128x1xi64>
      %xindex_38 = arith.muli %xindex_37, %idx_m_36 : tensor<128x1xi64>
      %xindex_39 = tt.broadcast %a_k_idx_vals_34 : tensor<1x64xi64> -> tensor<128x64xi64>
      %xindex_40 = tt.broadcast %xindex_38 : tensor<128x1xi64> -> tensor<128x64xi64>
      %xindex_41 = arith.addi %xindex_39, %xindex_40 : tensor<128x64xi64>
      %a = tt.splat %arg_A : !tt.ptr<bf16> -> tensor<128x64x!tt.ptr<bf16>>
      %a_42 = tt.addptr %a, %xindex_41 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi64>
      %a_43 = tt.broadcast %a_mask_30 : tensor<1x64xi1> -> tensor<128x64xi1>
      %a_44 = tt.load %a_42, %a_43, %cst_0 : tensor<128x64x!tt.ptr<bf16>>
      %idx_n_45 = tt.expand_dims %7 {axis = 0 : i32} : tensor<128xi64> -> tensor<1x128xi64>
      %xindex_46 = tt.splat %ks2 : i64 -> tensor<1x128xi64>
      %xindex_47 = arith.muli %xindex_46, %idx_n_45 : tensor<1x128xi64>
      %xindex_48 = tt.broadcast %b_k_idx_vals_35 : tensor<64x1xi64> -> tensor<64x128xi64>
      %xindex_49 = tt.broadcast %xindex_47 : tensor<1x128xi64> -> tensor<64x128xi64>
      %xindex_50 = arith.addi %xindex_48, %xindex_49 : tensor<64x128xi64>
      %b = tt.splat %arg_B : !tt.ptr<bf16> -> tensor<64x128x!tt.ptr<bf16>>
      %b_51 = tt.addptr %b, %xindex_50 : tensor<64x128x!tt.ptr<bf16>>, tensor<64x128xi64>
      %b_52 = tt.broadcast %b_mask_33 : tensor<64x1xi1> -> tensor<64x128xi1>
      %b_53 = tt.load %b_51, %b_52, %cst : tensor<64x128x!tt.ptr<bf16>>
      %acc_54 = tt.dot %a_44, %b_53, %acc_25, inputPrecision = tf32 : tensor<128x64xbf16> * tensor<64x128xbf16> ->
            tensor<128x128xf32>
      scf.yield %acc_54 : tensor<128x128xf32>
    }
    %idx_m = tt.expand_dims %rm_12 {axis = 1 : i32} : tensor<128xi64> -> tensor<128x1xi64>
    %idx_n = tt.expand_dims %rn_14 {axis = 0 : i32} : tensor<128xi64> -> tensor<1x128xi64>
    %mask = tt.splat %ks0 : i64 -> tensor<128x1xi64>
    %mask_15 = arith.cmpi slt, %idx_m, %mask : tensor<128x1xi64>
    %mask_16 = tt.splat %ks1 : i64 -> tensor<1x128xi64>
    %mask_17 = arith.cmpi slt, %idx_n, %mask_16 : tensor<1x128xi64>
    %mask_18 = tt.broadcast %mask_15 : tensor<128x1xi1> -> tensor<128x128xi1>
    %mask_19 = tt.broadcast %mask_17 : tensor<1x128xi1> -> tensor<128x128xi1>
    %mask_20 = arith.andi %mask_18, %mask_19 : tensor<128x128xi1>
    %xindex = tt.splat %ks1 : i64 -> tensor<128x1xi64>
    %xindex_21 = arith.muli %xindex, %idx_m : tensor<128x1xi64>
    %xindex_22 = tt.broadcast %idx_n : tensor<1x128xi64> -> tensor<128x128xi64>
    %xindex_23 = tt.broadcast %xindex_21 : tensor<128x1xi64> -> tensor<128x128xi64>
    %xindex_24 = arith.addi %xindex_22, %xindex_23 : tensor<128x128xi64>
    %10 = tt.splat %out_ptr0 : !tt.ptr<bf16> -> tensor<128x128x!tt.ptr<bf16>>
    %11 = tt.addptr %10, %xindex_24 : tensor<128x128x!tt.ptr<bf16>>, tensor<128x128xi64>
    %12 = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tt.store %11, %12, %mask_20 : tensor<128x128x!tt.ptr<bf16>>
    tt.return
  }
}
