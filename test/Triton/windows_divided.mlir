// A window whose beginning is divided in 64 bits in front of the loop is made there as well, although no division may
// be moved out of a loop: the copy engine loads from it. Rows of the left operand that the mask leaves out are never
// stored: it is a box of the tensor, and what lies behind a chunk does not matter.
// RUN: heddle explain %s --time-limit=1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<64x32xf16>: box of view 'a'
// EXPLAIN: dimension 1: size length, stride s_l, at chunk * div(program.y, heads) + 64 * program.x, along dimension 0
// EXPLAIN: anything beyond lane chunk - 64 * program.x of dimension 0: such lanes are never stored
// EXPLAIN: load of tensor<32x64xf16>: box of a window of 'b'
// RUN: heddle compile %s --emit=tile | FileCheck %s
// CHECK: tile.window
// CHECK: scf.for
// CHECK-NOT: tile.window
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::tmaLoad
// CUDA: hd::tmaLoad
// RUN: heddle run %s --device=sim --grid=1,6 --scalars=length=176,chunk=64,K=80,heads=2,s_l=160,s_h=80 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,6 --scalars=length=176,chunk=64,K=80,heads=2,s_l=160,s_h=80 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @chunks(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %length: i32 {tt.divisibility = 16 : i32},
          %chunk: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}, %heads: i32,
              %s_l: i32 {tt.divisibility = 16 : i32}, %s_h: i32 {tt.divisibility = 16
                  : i32}) attributes {noinline = false} {
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i64 = arith.constant 64 : i64
    %cst_2 = arith.constant dense<32> : tensor<32x64xi32>
    %cst_3 = arith.constant dense<32> : tensor<64x32xi32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c32_i32 = arith.constant 32 : i32
    %c64_i32 = arith.constant 64 : i32
    %pid = tt.get_program_id y : i32
    %pid_5 = arith.extsi %pid : i32 to i64
    %c = arith.extsi %heads : i32 to i64
    %c_6 = arith.divsi %pid_5, %c : i64
    %h = arith.muli %c_6, %c : i64
    %h_7 = arith.subi %pid_5, %h : i64
    %a_8 = arith.extsi %chunk : i32 to i64
    %a_9 = arith.muli %c_6, %a_8 : i64
    %a_10 = arith.extsi %s_l : i32 to i64
    %a_11 = arith.muli %a_9, %a_10 : i64
    %a_12 = arith.extsi %s_h : i32 to i64
    %a_13 = arith.muli %h_7, %a_12 : i64
    %a_14 = arith.addi %a_11, %a_13 : i64
    %a_15 = tt.addptr %a, %a_14 : !tt.ptr<f16>, i64
    %b_16 = tt.addptr %b, %a_14 : !tt.ptr<f16>, i64
    %m = tt.get_program_id x : i32
    %m_17 = arith.muli %m, %c64_i32 : i32
    %m_18 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m_19 = tt.splat %m_17 : i32 -> tensor<64xi32>
    %m_20 = arith.addi %m_19, %m_18 : tensor<64xi32>
    %kk = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %left = arith.extsi %length : i32 to i64
    %left_21 = arith.subi %left, %a_9 : i64
    %left_22 = arith.minsi %a_8, %left_21 : i64
    %pa = tt.expand_dims %m_20 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %pa_23 = tt.splat %s_l : i32 -> tensor<64x1xi32>
    %pa_24 = arith.muli %pa, %pa_23 : tensor<64x1xi32>
    %pa_25 = tt.splat %a_15 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %pa_26 = tt.addptr %pa_25, %pa_24 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %pa_27 = tt.expand_dims %kk {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %pa_28 = tt.broadcast %pa_26 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
    %pa_29 = tt.broadcast %pa_27 : tensor<1x32xi32> -> tensor<64x32xi32>
    %pa_30 = tt.addptr %pa_28, %pa_29 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %pb = tt.expand_dims %kk {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %pb_31 = tt.splat %b_16 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
    %pb_32 = tt.addptr %pb_31, %pb : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
    %pb_33 = tt.expand_dims %m_18 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %pb_34 = tt.splat %s_l : i32 -> tensor<1x64xi32>
    %pb_35 = arith.muli %pb_33, %pb_34 : tensor<1x64xi32>
    %pb_36 = tt.broadcast %pb_32 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
    %pb_37 = tt.broadcast %pb_35 : tensor<1x64xi32> -> tensor<32x64xi32>
    %pb_38 = tt.addptr %pb_36, %pb_37 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %0 = arith.addi %K, %c31_i32 : i32
    %1 = arith.divsi %0, %c32_i32 : i32
    %acc:3 = scf.for %k = %c0_i32 to %1 step %c1_i32 iter_args(%pa_39 = %pa_30, %pb_40 = %pb_38,
        %acc_41 = %cst_4) -> (tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<64x64xf32>)  : i32 {
      %x = arith.extsi %pa : tensor<64x1xi32> to tensor<64x1xi64>
      %x_42 = tt.splat %left_22 : i64 -> tensor<64x1xi64>
      %x_43 = arith.cmpi slt, %x, %x_42 : tensor<64x1xi64>
      %x_44 = arith.muli %k, %c32_i32 : i32
      %x_45 = arith.subi %K, %x_44 : i32
      %x_46 = tt.splat %x_45 : i32 -> tensor<1x32xi32>
      %x_47 = arith.cmpi slt, %pa_27, %x_46 : tensor<1x32xi32>
      %x_48 = tt.broadcast %x_43 : tensor<64x1xi1> -> tensor<64x32xi1>
      %x_49 = tt.broadcast %x_47 : tensor<1x32xi1> -> tensor<64x32xi1>
      %x_50 = arith.andi %x_48, %x_49 : tensor<64x32xi1>
      %x_51 = tt.load %pa_39, %x_50, %cst_0 : tensor<64x32x!tt.ptr<f16>>
      %y = tt.splat %x_45 : i32 -> tensor<32x1xi32>
      %y_52 = arith.cmpi slt, %pb, %y : tensor<32x1xi32>
      %y_53 = arith.extsi %pb_33 : tensor<1x64xi32> to tensor<1x64xi64>
      %y_54 = tt.splat %left_22 : i64 -> tensor<1x64xi64>
      %y_55 = arith.cmpi slt, %y_53, %y_54 : tensor<1x64xi64>
      %y_56 = tt.broadcast %y_52 : tensor<32x1xi1> -> tensor<32x64xi1>
      %y_57 = tt.broadcast %y_55 : tensor<1x64xi1> -> tensor<32x64xi1>
      %y_58 = arith.andi %y_56, %y_57 : tensor<32x64xi1>
      %y_59 = tt.load %pb_40, %y_58, %cst : tensor<32x64x!tt.ptr<f16>>
      %acc_60 = tt.dot %x_51, %y_59, %acc_41, inputPrecision = tf32
          : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      %pa_61 = tt.addptr %pa_39, %cst_3 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %pb_62 = tt.addptr %pb_40, %cst_2 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      scf.yield %pa_61, %pb_62, %acc_60 : tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<64x64xf32>
    }
    %2 = tt.splat %chunk : i32 -> tensor<64x1xi32>
    %3 = arith.cmpi slt, %pa, %2 : tensor<64x1xi32>
    %4 = arith.muli %pid_5, %a_8 : i64
    %5 = arith.muli %4, %c64_i64 : i64
    %6 = tt.addptr %o, %5 : !tt.ptr<f32>, i64
    %7 = arith.muli %pa, %cst_1 : tensor<64x1xi32>
    %8 = tt.splat %6 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %9 = tt.addptr %8, %7 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %10 = tt.broadcast %9 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %11 = tt.broadcast %pb_33 : tensor<1x64xi32> -> tensor<64x64xi32>
    %12 = tt.addptr %10, %11 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %13 = tt.broadcast %3 : tensor<64x1xi1> -> tensor<64x64xi1>
    tt.store %12, %acc#2, %13 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
