// A convolution whose rows threads copy by numbers, two programs in flight: hundreds of copies are on their way at
// once, and lanes of a warp ask a barrier together before one of them arrives for all.
// RUN: echo '{kernel = {blocks = 1}}' > %t.plan
// RUN: heddle run %s --plan=%t.plan --device=emulate --grid=2,2 --scalars=N=2,H=9,Wd=7,Co=72 | FileCheck %s
// CHECK: emulated, interleaving 0: 2 CTAs, trace [[TRACE:[0-9a-f]+]]
// CHECK: {{^}}verified
// CHECK: emulated, interleaving 1: 2 CTAs, trace [[TRACE]]
// CHECK: {{^}}verified
module {
  tt.func public @conv2d(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %W: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %Y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %N: i32, %H: i32,
      %Wd: i32, %Co: i32) attributes {noinline = false} {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %c1_i32 = arith.constant 1 : i32
    %c9_i32 = arith.constant 9 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<64> : tensor<64xi32>
    %cst_1 = arith.constant dense<0> : tensor<64xi32>
    %cst_2 = arith.constant dense<1> : tensor<64xi32>
    %c3_i32 = arith.constant 3 : i32
    %c64_i32 = arith.constant 64 : i32
    %m = tt.get_program_id x : i32
    %m_3 = arith.muli %m, %c64_i32 : i32
    %m_4 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m_5 = tt.splat %m_3 : i32 -> tensor<64xi32>
    %m_6 = arith.addi %m_5, %m_4 : tensor<64xi32>
    %co = tt.get_program_id y : i32
    %co_7 = arith.muli %co, %c64_i32 : i32
    %co_8 = tt.splat %co_7 : i32 -> tensor<64xi32>
    %co_9 = arith.addi %co_8, %m_4 : tensor<64xi32>
    %n = arith.muli %H, %Wd : i32
    %n_10 = tt.splat %n : i32 -> tensor<64xi32>
    %n_11 = arith.divsi %m_6, %n_10 : tensor<64xi32>
    %hw = arith.remsi %m_6, %n_10 : tensor<64xi32>
    %h = tt.splat %Wd : i32 -> tensor<64xi32>
    %h_12 = arith.divsi %hw, %h : tensor<64xi32>
    %w = arith.remsi %hw, %h : tensor<64xi32>
    %acc_13 = scf.for %r = %c0_i32 to %c9_i32 step %c1_i32 iter_args(%acc_14 = %acc) -> (tensor<64x64xf32>)  : i32 {
      %hh = arith.divsi %r, %c3_i32 : i32
      %hh_15 = tt.splat %hh : i32 -> tensor<64xi32>
      %hh_16 = arith.addi %h_12, %hh_15 : tensor<64xi32>
      %hh_17 = arith.subi %hh_16, %cst_2 : tensor<64xi32>
      %www = arith.remsi %r, %c3_i32 : i32
      %www_18 = tt.splat %www : i32 -> tensor<64xi32>
      %www_19 = arith.addi %w, %www_18 : tensor<64xi32>
      %www_20 = arith.subi %www_19, %cst_2 : tensor<64xi32>
      %ok = arith.cmpi sge, %hh_17, %cst_1 : tensor<64xi32>
      %ok_21 = tt.splat %H : i32 -> tensor<64xi32>
      %ok_22 = arith.cmpi slt, %hh_17, %ok_21 : tensor<64xi32>
      %ok_23 = arith.andi %ok, %ok_22 : tensor<64xi1>
      %ok_24 = arith.cmpi sge, %www_20, %cst_1 : tensor<64xi32>
      %ok_25 = arith.andi %ok_23, %ok_24 : tensor<64xi1>
      %ok_26 = arith.cmpi slt, %www_20, %h : tensor<64xi32>
      %ok_27 = arith.andi %ok_25, %ok_26 : tensor<64xi1>
      %ok_28 = arith.muli %N, %H : i32
      %ok_29 = arith.muli %ok_28, %Wd : i32
      %ok_30 = tt.splat %ok_29 : i32 -> tensor<64xi32>
      %ok_31 = arith.cmpi slt, %m_6, %ok_30 : tensor<64xi32>
      %ok_32 = arith.andi %ok_27, %ok_31 : tensor<64xi1>
      %x = tt.expand_dims %ok_32 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
      %x_33 = arith.muli %n_11, %ok_21 : tensor<64xi32>
      %x_34 = arith.addi %x_33, %hh_17 : tensor<64xi32>
      %x_35 = arith.muli %x_34, %h : tensor<64xi32>
      %x_36 = arith.addi %x_35, %www_20 : tensor<64xi32>
      %x_37 = arith.muli %x_36, %cst_0 : tensor<64xi32>
      %x_38 = tt.expand_dims %x_37 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %x_39 = tt.splat %X : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %x_40 = tt.addptr %x_39, %x_38 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %x_41 = tt.expand_dims %m_4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %x_42 = tt.broadcast %x_40 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %x_43 = tt.broadcast %x_41 : tensor<1x64xi32> -> tensor<64x64xi32>
      %x_44 = tt.addptr %x_42, %x_43 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %x_45 = tt.broadcast %x : tensor<64x1xi1> -> tensor<64x64xi1>
      %x_46 = tt.load %x_44, %x_45, %cst : tensor<64x64x!tt.ptr<f16>>
      %f = tt.expand_dims %co_9 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %f_47 = tt.splat %Co : i32 -> tensor<1x64xi32>
      %f_48 = arith.cmpi slt, %f, %f_47 : tensor<1x64xi32>
      %f_49 = arith.muli %r, %c64_i32 : i32
      %f_50 = tt.splat %f_49 : i32 -> tensor<64xi32>
      %f_51 = arith.addi %f_50, %m_4 : tensor<64xi32>
      %f_52 = tt.expand_dims %f_51 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %f_53 = tt.splat %Co : i32 -> tensor<64x1xi32>
      %f_54 = arith.muli %f_52, %f_53 : tensor<64x1xi32>
      %f_55 = tt.splat %W : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %f_56 = tt.addptr %f_55, %f_54 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %f_57 = tt.broadcast %f_56 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %f_58 = tt.broadcast %f : tensor<1x64xi32> -> tensor<64x64xi32>
      %f_59 = tt.addptr %f_57, %f_58 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %f_60 = tt.broadcast %f_48 : tensor<1x64xi1> -> tensor<64x64xi1>
      %f_61 = tt.load %f_59, %f_60, %cst : tensor<64x64x!tt.ptr<f16>>
      %acc_62 = tt.dot %x_46, %f_61, %acc_14,
          inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %acc_62 : tensor<64x64xf32>
    }
    %0 = arith.muli %N, %H : i32
    %1 = arith.muli %0, %Wd : i32
    %2 = tt.splat %1 : i32 -> tensor<64xi32>
    %3 = arith.cmpi slt, %m_6, %2 : tensor<64xi32>
    %4 = tt.expand_dims %3 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %5 = tt.expand_dims %co_9 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.splat %Co : i32 -> tensor<1x64xi32>
    %7 = arith.cmpi slt, %5, %6 : tensor<1x64xi32>
    %8 = tt.broadcast %4 : tensor<64x1xi1> -> tensor<64x64xi1>
    %9 = tt.broadcast %7 : tensor<1x64xi1> -> tensor<64x64xi1>
    %10 = arith.andi %8, %9 : tensor<64x64xi1>
    %11 = tt.expand_dims %m_6 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %12 = tt.splat %Co : i32 -> tensor<64x1xi32>
    %13 = arith.muli %11, %12 : tensor<64x1xi32>
    %14 = tt.splat %Y : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %15 = tt.addptr %14, %13 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %16 = tt.broadcast %15 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %17 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<64x64xi32>
    %18 = tt.addptr %16, %17 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %19 = arith.truncf %acc_13 : tensor<64x64xf32> to tensor<64x64xf16>
    tt.store %18, %19, %10 : tensor<64x64x!tt.ptr<f16>>
    tt.return
  }
}
