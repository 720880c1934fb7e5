// Keys that numbers name, 16 at a time: as with keys of a box, an iteration takes a longer block, and a loop with blocks
// as written takes the rest, since nothing says what lies behind the last key that is named.
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: retile = {{64|128}}
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: scf.for
// TILE: tile.gather {{.*}} -> tensor<{{64|128}}x64xf16>
// TILE: scf.for
// TILE: tile.gather {{.*}} -> tensor<16x64xf16>
// RUN: heddle run %s --device=sim --grid=2 --scalars=n=200,s_q=4096,s_k=64,scale=0.125 --input 'idx=arange(0,3)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=n=200,s_q=4096,s_k=64,scale=0.125 --input 'idx=arange(0,3)' | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @named(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
          %idx: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %scale: f32, %s_q: i32 {tt.divisibility = 16
              : i32}, %s_k: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %l = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<16x64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x16xf16>
    %c16_i32 = arith.constant 16 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_2 = arith.constant dense<0xFF800000> : tensor<64x16xf32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
    %cst_4 = arith.constant dense<0> : tensor<16xi32>
    %m = arith.constant dense<0xFF800000> : tensor<64xf32>
    %cst_5 = arith.constant dense<64> : tensor<64x1xi32>
    %h = tt.get_program_id x : i32
    %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %x = arith.muli %h, %s_q : i32
    %x_6 = tt.addptr %q, %x : !tt.ptr<f16>, i32
    %x_7 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %x_8 = arith.muli %x_7, %cst_5 : tensor<64x1xi32>
    %x_9 = tt.splat %x_6 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %x_10 = tt.addptr %x_9, %x_8 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %x_11 = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %x_12 = tt.broadcast %x_10 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %x_13 = tt.broadcast %x_11 : tensor<1x64xi32> -> tensor<64x64xi32>
    %x_14 = tt.addptr %x_12, %x_13 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x_15 = tt.load %x_14 : tensor<64x64x!tt.ptr<f16>>
    %acc:3 = scf.for %start = %c0_i32 to %n step %c16_i32 iter_args(%m_16 = %m, %l_17 = %l,
        %acc_18 = %cst_1) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>)  : i32 {
      %at = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
      %at_19 = tt.splat %start : i32 -> tensor<16xi32>
      %at_20 = arith.addi %at_19, %at : tensor<16xi32>
      %inside = tt.splat %n : i32 -> tensor<16xi32>
      %inside_21 = arith.cmpi slt, %at_20, %inside : tensor<16xi32>
      %row = tt.splat %idx : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
      %row_22 = tt.addptr %row, %at_20 : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
      %row_23 = tt.load %row_22, %inside_21, %cst_4 : tensor<16x!tt.ptr<i32>>
      %key = tt.expand_dims %inside_21 {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
      %key_24 = tt.expand_dims %row_23 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
      %key_25 = tt.splat %s_k : i32 -> tensor<1x16xi32>
      %key_26 = arith.muli %key_24, %key_25 : tensor<1x16xi32>
      %key_27 = tt.splat %k : !tt.ptr<f16> -> tensor<1x16x!tt.ptr<f16>>
      %key_28 = tt.addptr %key_27, %key_26 : tensor<1x16x!tt.ptr<f16>>, tensor<1x16xi32>
      %key_29 = tt.broadcast %key_28 : tensor<1x16x!tt.ptr<f16>> -> tensor<64x16x!tt.ptr<f16>>
      %key_30 = tt.broadcast %x_7 : tensor<64x1xi32> -> tensor<64x16xi32>
      %key_31 = tt.addptr %key_29, %key_30 : tensor<64x16x!tt.ptr<f16>>, tensor<64x16xi32>
      %key_32 = tt.broadcast %key : tensor<1x16xi1> -> tensor<64x16xi1>
      %key_33 = tt.load %key_31, %key_32, %cst_0 : tensor<64x16x!tt.ptr<f16>>
      %s = tt.dot %x_15, %key_33, %cst_3, inputPrecision = tf32
          : tensor<64x64xf16> * tensor<64x16xf16> -> tensor<64x16xf32>
      %s_34 = tt.splat %scale : f32 -> tensor<64x16xf32>
      %s_35 = arith.mulf %s, %s_34 : tensor<64x16xf32>
      %s_36 = arith.select %key_32, %s_35, %cst_2 : tensor<64x16xi1>, tensor<64x16xf32>
      %new = "tt.reduce"(%s_36) <{axis = 1 : i32}> ({
      ^bb0(%new_60: f32, %new_61: f32):
        %new_62 = arith.maxnumf %new_60, %new_61 : f32
        tt.reduce.return %new_62 : f32
      }) : (tensor<64x16xf32>) -> tensor<64xf32>
      %new_37 = arith.maxnumf %m_16, %new : tensor<64xf32>
      %p = tt.expand_dims %new_37 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %p_38 = tt.broadcast %p : tensor<64x1xf32> -> tensor<64x16xf32>
      %p_39 = arith.subf %s_36, %p_38 : tensor<64x16xf32>
      %p_40 = math.exp %p_39 : tensor<64x16xf32>
      %old = arith.subf %m_16, %new_37 : tensor<64xf32>
      %old_41 = math.exp %old : tensor<64xf32>
      %value = tt.expand_dims %inside_21 {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
      %value_42 = tt.expand_dims %row_23 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
      %value_43 = tt.splat %s_k : i32 -> tensor<16x1xi32>
      %value_44 = arith.muli %value_42, %value_43 : tensor<16x1xi32>
      %value_45 = tt.splat %v : !tt.ptr<f16> -> tensor<16x1x!tt.ptr<f16>>
      %value_46 = tt.addptr %value_45, %value_44 : tensor<16x1x!tt.ptr<f16>>, tensor<16x1xi32>
      %value_47 = tt.broadcast %value_46 : tensor<16x1x!tt.ptr<f16>> -> tensor<16x64x!tt.ptr<f16>>
      %value_48 = tt.broadcast %x_11 : tensor<1x64xi32> -> tensor<16x64xi32>
      %value_49 = tt.addptr %value_47, %value_48 : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
      %value_50 = tt.broadcast %value : tensor<16x1xi1> -> tensor<16x64xi1>
      %value_51 = tt.load %value_49, %value_50, %cst : tensor<16x64x!tt.ptr<f16>>
      %acc_52 = tt.expand_dims %old_41 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %acc_53 = tt.broadcast %acc_52 : tensor<64x1xf32> -> tensor<64x64xf32>
      %acc_54 = arith.mulf %acc_18, %acc_53 : tensor<64x64xf32>
      %acc_55 = arith.truncf %p_40 : tensor<64x16xf32> to tensor<64x16xf16>
      %acc_56 = tt.dot %acc_55, %value_51, %acc_54, inputPrecision = tf32
          : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
      %l_57 = arith.mulf %l_17, %old_41 : tensor<64xf32>
      %l_58 = "tt.reduce"(%p_40) <{axis = 1 : i32}> ({
      ^bb0(%l_60: f32, %l_61: f32):
        %l_62 = arith.addf %l_60, %l_61 : f32
        tt.reduce.return %l_62 : f32
      }) : (tensor<64x16xf32>) -> tensor<64xf32>
      %l_59 = arith.addf %l_57, %l_58 : tensor<64xf32>
      scf.yield %new_37, %l_59, %acc_56 : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
    }
    %0 = tt.addptr %o, %x : !tt.ptr<f32>, i32
    %1 = tt.splat %0 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %2 = tt.addptr %1, %x_8 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %3 = tt.broadcast %2 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %4 = tt.addptr %3, %x_13 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %5 = tt.expand_dims %acc#1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %6 = tt.broadcast %5 : tensor<64x1xf32> -> tensor<64x64xf32>
    %7 = arith.divf %acc#2, %6 : tensor<64x64xf32>
    tt.store %4, %7 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
