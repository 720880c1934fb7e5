// A fused mixture of experts: rows of A are gathered, those of C stored where the tokens are. Threads copy rows of A to
// shared memory, 16 bytes each; their numbers, which the loop does not change, are exchanged in front of it.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// RUN: heddle run %s --device=sim --grid=1 --scalars=N=128,K=128,EM=128,nvt=100,sam=128,sbe=16384,sbn=128,scm=128 \
// RUN:   --input 'SID=arange(0,1)' --input 'NPP=arange(128,1)' --input 'EID=arange(1,0)' \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK: Warp groups 1, 2: compute0, compute1
// CHECK: barrierSync
// CHECK: for (int it = {{[0-9]+}}
// CHECK-NOT: barrierSync
// CHECK: hd::copyAsync
// CHECK-NOT: barrierSync
// CHECK: hd::wgmmaSS
tt.func @fused_moe(%A: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %B: !tt.ptr<bf16> {tt.divisibility = 16 :
    i32}, %C: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %AS: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %BSC:
    !tt.ptr<f32> {tt.divisibility = 16 : i32}, %TW: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %SID:
    !tt.ptr<i32> {tt.divisibility = 16 : i32}, %EID: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %NPP:
    !tt.ptr<i32> {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility =
    16 : i32}, %EM: i32 {tt.divisibility = 16 : i32}, %nvt: i32, %sam: i32 {tt.divisibility = 16 : i32}, %sbe:
    i32 {tt.divisibility = 16 : i32}, %sbn: i32 {tt.divisibility = 16 : i32}, %scm: i32 {tt.divisibility = 16 :
    i32}, %sasm: i32 {tt.divisibility = 16 : i32}, %sask: i32 {tt.divisibility = 16 : i32}, %sbse: i32
    {tt.divisibility = 16 : i32}, %sbsk: i32 {tt.divisibility = 16 : i32}, %sbsn: i32 {tt.divisibility = 16 :
    i32}) {
  %c63_i32 = arith.constant 63 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x128xbf16>
  %c127_i32 = arith.constant 127 : i32
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<128xf32>
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
  %cst_3 = arith.constant dense<0.000000e+00> : tensor<128x64xbf16>
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c-1_i64 = arith.constant -1 : i64
  %cst_4 = arith.constant dense<64> : tensor<64x128xi32>
  %cst_5 = arith.constant dense<64> : tensor<128x64xi32>
  %c64_i32 = arith.constant 64 : i32
  %cst_6 = arith.constant dense<2> : tensor<128x1xi32>
  %c128_i32 = arith.constant 128 : i32
  %c4_i32 = arith.constant 4 : i32
  %pid = tt.get_program_id x : i32
  %npm = arith.addi %EM, %c127_i32 : i32
  %npm_7 = arith.divsi %npm, %c128_i32 : i32
  %npn = arith.addi %N, %c127_i32 : i32
  %npn_8 = arith.divsi %npn, %c128_i32 : i32
  %nig = arith.muli %npn_8, %c4_i32 : i32
  %gid = arith.divsi %pid, %nig : i32
  %fm = arith.muli %gid, %c4_i32 : i32
  %gs = arith.subi %npm_7, %fm : i32
  %gs_9 = arith.minsi %gs, %c4_i32 : i32
  %pm = arith.remsi %pid, %nig : i32
  %pm_10 = arith.remsi %pm, %gs_9 : i32
  %pm_11 = arith.addi %fm, %pm_10 : i32
  %pn = arith.divsi %pm, %gs_9 : i32
  %npp = tt.load %NPP : !tt.ptr<i32>
  %0 = arith.muli %pm_11, %c128_i32 : i32
  %1 = arith.cmpi sge, %0, %npp : i32
  cf.cond_br %1, ^bb1, ^bb2
^bb1:  // pred: ^bb0
  tt.return
^bb2:  // pred: ^bb0
  %oti = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %oti_12 = arith.extsi %oti : tensor<128xi32> to tensor<128xi64>
  %oti_13 = arith.extsi %0 : i32 to i64
  %oti_14 = tt.splat %oti_13 : i64 -> tensor<128xi64>
  %oti_15 = arith.addi %oti_14, %oti_12 : tensor<128xi64>
  %ot = tt.splat %SID : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ot_16 = tt.addptr %ot, %oti_15 : tensor<128x!tt.ptr<i32>>, tensor<128xi64>
  %ot_17 = tt.load %ot_16 : tensor<128x!tt.ptr<i32>>
  %tm = tt.splat %nvt : i32 -> tensor<128xi32>
  %tm_18 = arith.cmpi slt, %ot_17, %tm : tensor<128xi32>
  %e = tt.addptr %EID, %pm_11 : !tt.ptr<i32>, i32
  %e_19 = tt.load %e : !tt.ptr<i32>
  %e_20 = arith.extsi %e_19 : i32 to i64
  %obn = arith.muli %pn, %c128_i32 : i32
  %obn_21 = arith.extsi %obn : i32 to i64
  %obn_22 = tt.splat %obn_21 : i64 -> tensor<128xi64>
  %obn_23 = arith.addi %obn_22, %oti_12 : tensor<128xi64>
  %obn_24 = arith.extsi %N : i32 to i64
  %obn_25 = tt.splat %obn_24 : i64 -> tensor<128xi64>
  %obn_26 = arith.remsi %obn_23, %obn_25 : tensor<128xi64>
  %ok = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %2 = arith.cmpi eq, %e_20, %c-1_i64 : i64
  cf.cond_br %2, ^bb3, ^bb4
^bb3:  // pred: ^bb2
  %3 = tt.expand_dims %tm_18 {axis = 1 : i32} : tensor<128xi1> -> tensor<128x1xi1>
  %4 = tt.splat %obn : i32 -> tensor<128xi32>
  %5 = arith.addi %4, %oti : tensor<128xi32>
  %6 = tt.splat %N : i32 -> tensor<128xi32>
  %7 = arith.cmpi slt, %5, %6 : tensor<128xi32>
  %8 = tt.expand_dims %7 {axis = 0 : i32} : tensor<128xi1> -> tensor<1x128xi1>
  %9 = tt.broadcast %3 : tensor<128x1xi1> -> tensor<128x128xi1>
  %10 = tt.broadcast %8 : tensor<1x128xi1> -> tensor<128x128xi1>
  %11 = arith.andi %9, %10 : tensor<128x128xi1>
  %12 = tt.expand_dims %ot_17 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %13 = tt.splat %scm : i32 -> tensor<128x1xi32>
  %14 = arith.muli %13, %12 : tensor<128x1xi32>
  %15 = tt.splat %C : !tt.ptr<bf16> -> tensor<128x1x!tt.ptr<bf16>>
  %16 = tt.addptr %15, %14 : tensor<128x1x!tt.ptr<bf16>>, tensor<128x1xi32>
  %17 = tt.expand_dims %5 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %18 = tt.broadcast %16 : tensor<128x1x!tt.ptr<bf16>> -> tensor<128x128x!tt.ptr<bf16>>
  %19 = tt.broadcast %17 : tensor<1x128xi32> -> tensor<128x128xi32>
  %20 = tt.addptr %18, %19 : tensor<128x128x!tt.ptr<bf16>>, tensor<128x128xi32>
  tt.store %20, %cst_0, %11 : tensor<128x128x!tt.ptr<bf16>>
  tt.return
^bb4:  // pred: ^bb2
  %ap = tt.expand_dims %ot_17 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ap_27 = arith.divsi %ap, %cst_6 : tensor<128x1xi32>
  %ap_28 = tt.splat %sam : i32 -> tensor<128x1xi32>
  %ap_29 = arith.muli %ap_27, %ap_28 : tensor<128x1xi32>
  %ap_30 = tt.expand_dims %ok {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ap_31 = tt.broadcast %ap_29 : tensor<128x1xi32> -> tensor<128x64xi32>
  %ap_32 = tt.broadcast %ap_30 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ap_33 = arith.addi %ap_31, %ap_32 : tensor<128x64xi32>
  %ap_34 = tt.splat %A : !tt.ptr<bf16> -> tensor<128x64x!tt.ptr<bf16>>
  %ap_35 = tt.addptr %ap_34, %ap_33 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
  %bp = arith.extsi %sbe : i32 to i64
  %bp_36 = arith.muli %e_20, %bp : i64
  %bp_37 = tt.addptr %B, %bp_36 : !tt.ptr<bf16>, i64
  %bp_38 = tt.expand_dims %ok {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bp_39 = tt.expand_dims %obn_26 {axis = 0 : i32} : tensor<128xi64> -> tensor<1x128xi64>
  %bp_40 = arith.extsi %sbn : i32 to i64
  %bp_41 = tt.splat %bp_40 : i64 -> tensor<1x128xi64>
  %bp_42 = arith.muli %bp_39, %bp_41 : tensor<1x128xi64>
  %bp_43 = arith.extsi %bp_38 : tensor<64x1xi32> to tensor<64x1xi64>
  %bp_44 = tt.broadcast %bp_43 : tensor<64x1xi64> -> tensor<64x128xi64>
  %bp_45 = tt.broadcast %bp_42 : tensor<1x128xi64> -> tensor<64x128xi64>
  %bp_46 = arith.addi %bp_44, %bp_45 : tensor<64x128xi64>
  %bp_47 = tt.splat %bp_37 : !tt.ptr<bf16> -> tensor<64x128x!tt.ptr<bf16>>
  %bp_48 = tt.addptr %bp_47, %bp_46 : tensor<64x128x!tt.ptr<bf16>>, tensor<64x128xi64>
  %21 = arith.addi %K, %c63_i32 : i32
  %22 = arith.divsi %21, %c64_i32 : i32
  %acc:3 = scf.for %k = %c0_i32 to %22 step %c1_i32 iter_args(%ap_55 = %ap_35, %bp_56 = %bp_48, %acc_57 = %cst)
      -> (tensor<128x64x!tt.ptr<bf16>>, tensor<64x128x!tt.ptr<bf16>>, tensor<128x128xf32>)  : i32 {
    %a = tt.expand_dims %tm_18 {axis = 1 : i32} : tensor<128xi1> -> tensor<128x1xi1>
    %a_58 = arith.muli %k, %c64_i32 : i32
    %a_59 = arith.subi %K, %a_58 : i32
    %a_60 = tt.splat %a_59 : i32 -> tensor<1x64xi32>
    %a_61 = arith.cmpi slt, %ap_30, %a_60 : tensor<1x64xi32>
    %a_62 = tt.broadcast %a : tensor<128x1xi1> -> tensor<128x64xi1>
    %a_63 = tt.broadcast %a_61 : tensor<1x64xi1> -> tensor<128x64xi1>
    %a_64 = arith.andi %a_62, %a_63 : tensor<128x64xi1>
    %a_65 = tt.load %ap_55, %a_64, %cst_3 : tensor<128x64x!tt.ptr<bf16>>
    %b = tt.splat %a_59 : i32 -> tensor<64x1xi32>
    %b_66 = arith.cmpi slt, %bp_38, %b : tensor<64x1xi32>
    %b_67 = tt.broadcast %b_66 : tensor<64x1xi1> -> tensor<64x128xi1>
    %b_68 = tt.load %bp_56, %b_67, %cst_2 : tensor<64x128x!tt.ptr<bf16>>
    %acc_69 = tt.dot %a_65, %b_68, %acc_57 : tensor<128x64xbf16> * tensor<64x128xbf16> -> tensor<128x128xf32>
    %ap_70 = tt.addptr %ap_55, %cst_5 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
    %bp_71 = tt.addptr %bp_56, %cst_4 : tensor<64x128x!tt.ptr<bf16>>, tensor<64x128xi32>
    scf.yield %ap_70, %bp_71, %acc_69 : tensor<128x64x!tt.ptr<bf16>>, tensor<64x128x!tt.ptr<bf16>>,
        tensor<128x128xf32>
  }
  %w = tt.splat %TW : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %w_49 = tt.addptr %w, %ot_17 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %w_50 = tt.load %w_49, %tm_18, %cst_1 : tensor<128x!tt.ptr<f32>>
  %acc_51 = tt.expand_dims %w_50 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
  %acc_52 = tt.broadcast %acc_51 : tensor<128x1xf32> -> tensor<128x128xf32>
  %acc_53 = arith.mulf %acc#2, %acc_52 : tensor<128x128xf32>
  %ocn = tt.splat %obn : i32 -> tensor<128xi32>
  %ocn_54 = arith.addi %ocn, %oti : tensor<128xi32>
  %23 = tt.expand_dims %tm_18 {axis = 1 : i32} : tensor<128xi1> -> tensor<128x1xi1>
  %24 = tt.expand_dims %ocn_54 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %25 = tt.splat %N : i32 -> tensor<1x128xi32>
  %26 = arith.cmpi slt, %24, %25 : tensor<1x128xi32>
  %27 = tt.broadcast %23 : tensor<128x1xi1> -> tensor<128x128xi1>
  %28 = tt.broadcast %26 : tensor<1x128xi1> -> tensor<128x128xi1>
  %29 = arith.andi %27, %28 : tensor<128x128xi1>
  %30 = tt.splat %scm : i32 -> tensor<128x1xi32>
  %31 = arith.muli %30, %ap : tensor<128x1xi32>
  %32 = tt.splat %C : !tt.ptr<bf16> -> tensor<128x1x!tt.ptr<bf16>>
  %33 = tt.addptr %32, %31 : tensor<128x1x!tt.ptr<bf16>>, tensor<128x1xi32>
  %34 = tt.broadcast %33 : tensor<128x1x!tt.ptr<bf16>> -> tensor<128x128x!tt.ptr<bf16>>
  %35 = tt.broadcast %24 : tensor<1x128xi32> -> tensor<128x128xi32>
  %36 = tt.addptr %34, %35 : tensor<128x128x!tt.ptr<bf16>>, tensor<128x128xi32>
  %37 = arith.truncf %acc_53 : tensor<128x128xf32> to tensor<128x128xbf16>
  tt.store %36, %37, %29 : tensor<128x128x!tt.ptr<bf16>>
  tt.return
}
