// A product whose rows are added to memory 16 elements apart (an inverse transform of frames that overlap): elements of
// one tile are one of memory.
// RUN: heddle run %s --device=sim --grid=1 --scalars=K=64,hop=16,T=16 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=K=64,hop=16,T=16 | FileCheck %s
// CHECK: all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @k_dot_ov(%A: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %Bm: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %K: i32 {tt.divisibility = 16 : i32}, %hop: i32 {tt.divisibility = 16 : i32},
        %T: i32 {tt.divisibility = 16 : i32}) {
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<true> : tensor<64x64xi1>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_1 = arith.constant dense<64> : tensor<32x1xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %acc = scf.for %k0 = %c0_i32 to %K step %c32_i32 iter_args(%acc_2 = %cst_0) -> (tensor<64x64xf32>)  : i32 {
      %acc_3 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %acc_4 = tt.splat %K : i32 -> tensor<64x1xi32>
      %acc_5 = arith.muli %acc_3, %acc_4 : tensor<64x1xi32>
      %acc_6 = tt.splat %A : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %acc_7 = tt.addptr %acc_6, %acc_5 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %acc_8 = tt.splat %k0 : i32 -> tensor<32xi32>
      %acc_9 = arith.addi %acc_8, %k : tensor<32xi32>
      %acc_10 = tt.expand_dims %acc_9 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %acc_11 = tt.broadcast %acc_7 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %acc_12 = tt.broadcast %acc_10 : tensor<1x32xi32> -> tensor<64x32xi32>
      %acc_13 = tt.addptr %acc_11, %acc_12 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %acc_14 = tt.load %acc_13 : tensor<64x32x!tt.ptr<f16>>
      %acc_15 = tt.expand_dims %acc_9 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %acc_16 = arith.muli %acc_15, %cst_1 : tensor<32x1xi32>
      %acc_17 = tt.splat %Bm : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %acc_18 = tt.addptr %acc_17, %acc_16 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %acc_19 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %acc_20 = tt.broadcast %acc_18 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
      %acc_21 = tt.broadcast %acc_19 : tensor<1x64xi32> -> tensor<32x64xi32>
      %acc_22 = tt.addptr %acc_20, %acc_21 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %acc_23 = tt.load %acc_22 : tensor<32x64x!tt.ptr<f16>>
      %acc_24 = tt.dot %acc_14, %acc_23, %acc_2,
        inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %acc_24 : tensor<64x64xf32>
    }
    %0 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %1 = tt.splat %hop : i32 -> tensor<64x1xi32>
    %2 = arith.muli %0, %1 : tensor<64x1xi32>
    %3 = tt.splat %Y : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %4 = tt.addptr %3, %2 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %5 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.broadcast %4 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
    %7 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<64x64xi32>
    %8 = tt.addptr %6, %7 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %9 = tt.atomic_rmw fadd, acq_rel, gpu, %8, %acc, %cst : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>,
        tensor<64x64xi1>) -> tensor<64x64xf32>
    tt.return
  }
}
