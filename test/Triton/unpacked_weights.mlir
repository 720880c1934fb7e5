// Weights of 4 bits, eight rows in a number, with packed zeros and scales of groups: the copy engine brings numbers, of
// which threads read those that they unpack into the left operand, and zeros and scales are computed for one row.
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: tile.load %{{.*}} -> tensor<8x128xi32>
// TILE: tile.broadcast %{{.*}} axis 2 {{.*}} -> tensor<64x8x8xi32>
// TILE: tensor.collapse_shape %{{.*}} into tensor<64x64xi32>
// TILE-NOT: tile.gather
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<64x128xi32>: box of view 'Z'
// EXPLAIN: stride 1, at 16 * program.y, along dimension 1 of the tile, where 8 neighbours are one element
// EXPLAIN: load of tensor<64x128xi32>: box of view 'B'
// EXPLAIN: stride sbk, at 8 * k, along dimension 0 of the tile, where 8 neighbours are one element
// RUN: heddle compile %s --groups=2 --tiles-in-flight=1 --emit=cuda | FileCheck %s --check-prefix=TWO
// TWO: int b{{[0-9]*}}[16];
// RUN: heddle run %s --device=sim --grid=1,1 \
// RUN:   --scalars=M=100,N=128,K=128,sam=128,sbk=128,scm=128,ssg=128,szg=16 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1 \
// RUN:   --scalars=M=100,N=128,K=128,sam=128,sbk=128,scm=128,ssg=128,szg=16 | FileCheck %s
// CHECK: {{^}}verified
tt.func @gptq(%A: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %B: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %C:
    !tt.ptr<f16> {tt.divisibility = 16 : i32}, %SC: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %Z: !tt.ptr<i32>
    {tt.divisibility = 16 : i32}, %GI: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %M: i32, %N: i32
    {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}, %sam: i32 {tt.divisibility = 16 : i32},
    %sbk: i32 {tt.divisibility = 16 : i32}, %scm: i32 {tt.divisibility = 16 : i32}, %ssg: i32 {tt.divisibility =
    16 : i32}, %szg: i32 {tt.divisibility = 16 : i32}) {
  %c63_i32 = arith.constant 63 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf16>
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_0 = arith.constant dense<64> : tensor<128x64xi32>
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %cst_2 = arith.constant dense<1> : tensor<64x128xi32>
  %cst_3 = arith.constant dense<15> : tensor<64x128xi32>
  %cst_4 = arith.constant dense<64> : tensor<64xi32>
  %c64_i32 = arith.constant 64 : i32
  %zp = arith.constant dense<8> : tensor<1x128xi32>
  %zs = arith.constant dense<4> : tensor<128xi32>
  %zs_5 = arith.constant dense<8> : tensor<128xi32>
  %sh = arith.constant dense<4> : tensor<64xi32>
  %sh_6 = arith.constant dense<8> : tensor<64xi32>
  %bp = arith.constant dense<8> : tensor<64x1xi32>
  %c8_i32 = arith.constant 8 : i32
  %c128_i32 = arith.constant 128 : i32
  %pm = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %om = arith.muli %pm, %c128_i32 : i32
  %om_7 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %om_8 = tt.splat %om : i32 -> tensor<128xi32>
  %om_9 = arith.addi %om_8, %om_7 : tensor<128xi32>
  %on = arith.muli %pn, %c128_i32 : i32
  %on_10 = tt.splat %on : i32 -> tensor<128xi32>
  %on_11 = arith.addi %on_10, %om_7 : tensor<128xi32>
  %ok = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ap = tt.expand_dims %om_9 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ap_12 = tt.splat %sam : i32 -> tensor<128x1xi32>
  %ap_13 = arith.muli %ap, %ap_12 : tensor<128x1xi32>
  %ap_14 = tt.splat %A : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %ap_15 = tt.addptr %ap_14, %ap_13 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %ap_16 = tt.expand_dims %ok {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ap_17 = tt.broadcast %ap_15 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
  %ap_18 = tt.broadcast %ap_16 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ap_19 = tt.addptr %ap_17, %ap_18 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %am = tt.splat %M : i32 -> tensor<128x1xi32>
  %am_20 = arith.cmpi slt, %ap, %am : tensor<128x1xi32>
  %bp_21 = tt.expand_dims %ok {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bp_22 = arith.divsi %bp_21, %bp : tensor<64x1xi32>
  %bp_23 = tt.splat %sbk : i32 -> tensor<64x1xi32>
  %bp_24 = arith.muli %bp_22, %bp_23 : tensor<64x1xi32>
  %bp_25 = tt.splat %B : !tt.ptr<i32> -> tensor<64x1x!tt.ptr<i32>>
  %bp_26 = tt.addptr %bp_25, %bp_24 : tensor<64x1x!tt.ptr<i32>>, tensor<64x1xi32>
  %bp_27 = tt.expand_dims %on_11 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bp_28 = tt.broadcast %bp_26 : tensor<64x1x!tt.ptr<i32>> -> tensor<64x128x!tt.ptr<i32>>
  %bp_29 = tt.broadcast %bp_27 : tensor<1x128xi32> -> tensor<64x128xi32>
  %bp_30 = tt.addptr %bp_28, %bp_29 : tensor<64x128x!tt.ptr<i32>>, tensor<64x128xi32>
  %sh_31 = arith.remsi %ok, %sh_6 : tensor<64xi32>
  %sh_32 = arith.muli %sh_31, %sh : tensor<64xi32>
  %zs_33 = arith.remsi %on_11, %zs_5 : tensor<128xi32>
  %zs_34 = arith.muli %zs_33, %zs : tensor<128xi32>
  %sp = tt.splat %SC : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>>
  %sp_35 = tt.addptr %sp, %bp_27 : tensor<1x128x!tt.ptr<f16>>, tensor<1x128xi32>
  %zp_36 = arith.divsi %bp_27, %zp : tensor<1x128xi32>
  %zp_37 = tt.splat %Z : !tt.ptr<i32> -> tensor<1x128x!tt.ptr<i32>>
  %zp_38 = tt.addptr %zp_37, %zp_36 : tensor<1x128x!tt.ptr<i32>>, tensor<1x128xi32>
  %0 = arith.addi %K, %c63_i32 : i32
  %1 = arith.divsi %0, %c64_i32 : i32
  %acc:3 = scf.for %k = %c0_i32 to %1 step %c1_i32 iter_args(%ap_39 = %ap_19, %bp_40 = %bp_30, %acc_41 = %cst_1)
      -> (tensor<128x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<i32>>, tensor<128x128xf32>)  : i32 {
    %g = arith.muli %k, %c64_i32 : i32
    %g_42 = tt.splat %g : i32 -> tensor<64xi32>
    %g_43 = arith.addi %g_42, %ok : tensor<64xi32>
    %g_44 = arith.divsi %g_43, %cst_4 : tensor<64xi32>
    %g_45 = tt.expand_dims %g_44 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %s = tt.splat %ssg : i32 -> tensor<64x1xi32>
    %s_46 = arith.muli %g_45, %s : tensor<64x1xi32>
    %s_47 = tt.broadcast %sp_35 : tensor<1x128x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
    %s_48 = tt.broadcast %s_46 : tensor<64x1xi32> -> tensor<64x128xi32>
    %s_49 = tt.addptr %s_47, %s_48 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %s_50 = tt.load %s_49 : tensor<64x128x!tt.ptr<f16>>
    %z = tt.splat %szg : i32 -> tensor<64x1xi32>
    %z_51 = arith.muli %g_45, %z : tensor<64x1xi32>
    %z_52 = tt.broadcast %zp_38 : tensor<1x128x!tt.ptr<i32>> -> tensor<64x128x!tt.ptr<i32>>
    %z_53 = tt.broadcast %z_51 : tensor<64x1xi32> -> tensor<64x128xi32>
    %z_54 = tt.addptr %z_52, %z_53 : tensor<64x128x!tt.ptr<i32>>, tensor<64x128xi32>
    %z_55 = tt.load %z_54 : tensor<64x128x!tt.ptr<i32>>
    %z_56 = tt.expand_dims %zs_34 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %z_57 = tt.broadcast %z_56 : tensor<1x128xi32> -> tensor<64x128xi32>
    %z_58 = arith.shrsi %z_55, %z_57 : tensor<64x128xi32>
    %z_59 = arith.andi %z_58, %cst_3 : tensor<64x128xi32>
    %z_60 = arith.addi %z_59, %cst_2 : tensor<64x128xi32>
    %a = tt.broadcast %am_20 : tensor<128x1xi1> -> tensor<128x64xi1>
    %a_61 = tt.load %ap_39, %a, %cst : tensor<128x64x!tt.ptr<f16>>
    %b = tt.load %bp_40 : tensor<64x128x!tt.ptr<i32>>
    %b_62 = tt.expand_dims %sh_32 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %b_63 = tt.broadcast %b_62 : tensor<64x1xi32> -> tensor<64x128xi32>
    %b_64 = arith.shrsi %b, %b_63 : tensor<64x128xi32>
    %b_65 = arith.andi %b_64, %cst_3 : tensor<64x128xi32>
    %b_66 = arith.subi %b_65, %z_60 : tensor<64x128xi32>
    %b_67 = arith.sitofp %b_66 : tensor<64x128xi32> to tensor<64x128xf16>
    %b_68 = arith.mulf %b_67, %s_50 : tensor<64x128xf16>
    %acc_69 = tt.dot %a_61, %b_68, %acc_41 : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    %ap_70 = tt.addptr %ap_39, %cst_0 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %bp_71 = arith.muli %sbk, %c8_i32 : i32
    %bp_72 = tt.splat %bp_71 : i32 -> tensor<64x128xi32>
    %bp_73 = tt.addptr %bp_40, %bp_72 : tensor<64x128x!tt.ptr<i32>>, tensor<64x128xi32>
    scf.yield %ap_70, %bp_73, %acc_69 : tensor<128x64x!tt.ptr<f16>>, tensor<64x128x!tt.ptr<i32>>, tensor<128x128xf32>
  }
  %2 = tt.splat %scm : i32 -> tensor<128x1xi32>
  %3 = arith.muli %ap, %2 : tensor<128x1xi32>
  %4 = tt.splat %C : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %5 = tt.addptr %4, %3 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %6 = tt.broadcast %5 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x128x!tt.ptr<f16>>
  %7 = tt.broadcast %bp_27 : tensor<1x128xi32> -> tensor<128x128xi32>
  %8 = tt.addptr %6, %7 : tensor<128x128x!tt.ptr<f16>>, tensor<128x128xi32>
  %9 = arith.truncf %acc#2 : tensor<128x128xf32> to tensor<128x128xf16>
  %10 = tt.broadcast %am_20 : tensor<128x1xi1> -> tensor<128x128xi1>
  tt.store %8, %9, %10 : tensor<128x128x!tt.ptr<f16>>
  tt.return
}
