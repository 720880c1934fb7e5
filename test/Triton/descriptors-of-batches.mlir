// Descriptors that begin at the matrices of a batch.
// RUN: heddle run %s --device=sim --grid=2,3 --scalars=M=100,N=64,K=96 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2,3 --scalars=M=100,N=64,K=96 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @batched_by_descriptors(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16>
      {tt.divisibility = 16 : i32}, %o: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %K: i32
      {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}) {
    %c32_i32 = arith.constant 32 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i64 = arith.constant 1 : i64
    %b = tt.get_program_id y : i32
    %b_0 = arith.extsi %b : i32 to i64
    %m = tt.get_program_id x : i32
    %a = arith.extsi %M : i32 to i64
    %a_1 = arith.muli %b_0, %a : i64
    %a_2 = arith.extsi %K : i32 to i64
    %a_3 = arith.muli %a_1, %a_2 : i64
    %a_4 = tt.addptr %x, %a_3 : !tt.ptr<f16>, i64
    %a_5 = tt.make_tensor_descriptor %a_4, [%M, %K], [%a_2, %c1_i64] : <f16>, <tensor<64x32xf16>>
    %c = arith.muli %b_0, %a_2 : i64
    %c_6 = arith.extsi %N : i32 to i64
    %c_7 = arith.muli %c, %c_6 : i64
    %c_8 = tt.addptr %y, %c_7 : !tt.ptr<f16>, i64
    %c_9 = tt.make_tensor_descriptor %c_8, [%K, %N], [%c_6, %c1_i64] : <f16>, <tensor<32x64xf16>>
    %w = arith.muli %a_1, %c_6 : i64
    %w_10 = tt.addptr %o, %w : !tt.ptr<f16>, i64
    %w_11 = tt.make_tensor_descriptor %w_10, [%M, %N], [%c_6, %c1_i64] : <f16>, <tensor<64x64xf16>>
    %acc = scf.for %k = %c0_i32 to %K step %c32_i32 iter_args(%acc_12 = %cst) -> (tensor<64x64xf32>)  : i32 {
      %acc_13 = arith.muli %m, %c64_i32 : i32
      %acc_14 = tt.descriptor_load %a_5[%acc_13, %k] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
      %acc_15 = tt.descriptor_load %c_9[%k, %c0_i32] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
      %acc_16 = tt.dot %acc_14, %acc_15, %acc_12, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> ->
      tensor<64x64xf32>
      scf.yield %acc_16 : tensor<64x64xf32>
    }
    %0 = arith.muli %m, %c64_i32 : i32
    %1 = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %w_11[%0, %c0_i32], %1 : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
    tt.return
  }
}
