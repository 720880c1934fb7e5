// Row numbers that the loop computes anew (`o_k = tl.arange(0, 64)` before and in it) are not carried by it.
// RUN: heddle run %s --device=sim --grid=1 --scalars=T=128 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: scf.for {{.*}} iter_args({{[^,]*}}) -> (tensor<64x32xf32>)
module {
  tt.func public @again(%k: !tt.ptr<f16>, %v: !tt.ptr<f16>, %h: !tt.ptr<f16>, %T: i32) attributes {noinline = false} {
    %c63_i32 = arith.constant 63 : i32
    %c2048_i32 = arith.constant 2048 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %cst_0 = arith.constant dense<32> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %o_k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %o_v = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %0 = arith.addi %T, %c63_i32 : i32
    %1 = arith.divsi %0, %c64_i32 : i32
    %acc:2 = scf.for %i = %c0_i32 to %1 step %c1_i32 iter_args(%o_k_1 = %o_k, %acc_2 = %cst) ->
          (tensor<64xi32>, tensor<64x32xf32>)  : i32 {
      %o_t = arith.muli %i, %c64_i32 : i32
      %o_t_3 = tt.splat %o_t : i32 -> tensor<64xi32>
      %o_t_4 = arith.addi %o_t_3, %o_k : tensor<64xi32>
      %2 = arith.muli %i, %c2048_i32 : i32
      %3 = tt.addptr %h, %2 : !tt.ptr<f16>, i32
      %4 = tt.expand_dims %o_k_1 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %5 = arith.muli %4, %cst_0 : tensor<64x1xi32>
      %6 = tt.splat %3 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %7 = tt.addptr %6, %5 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %8 = tt.expand_dims %o_v {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %9 = tt.broadcast %7 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %10 = tt.broadcast %8 : tensor<1x32xi32> -> tensor<64x32xi32>
      %11 = tt.addptr %9, %10 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %12 = arith.truncf %acc_2 : tensor<64x32xf32> to tensor<64x32xf16>
      tt.store %11, %12 : tensor<64x32x!tt.ptr<f16>>
      %a = tt.expand_dims %o_k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %a_5 = tt.splat %T : i32 -> tensor<64x1xi32>
      %a_6 = arith.muli %a, %a_5 : tensor<64x1xi32>
      %a_7 = tt.splat %k : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %a_8 = tt.addptr %a_7, %a_6 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %a_9 = tt.expand_dims %o_t_4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %a_10 = tt.broadcast %a_8 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %a_11 = tt.broadcast %a_9 : tensor<1x64xi32> -> tensor<64x64xi32>
      %a_12 = tt.addptr %a_10, %a_11 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %a_13 = tt.load %a_12 : tensor<64x64x!tt.ptr<f16>>
      %b = tt.expand_dims %o_t_4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %b_14 = arith.muli %b, %cst_0 : tensor<64x1xi32>
      %b_15 = tt.splat %v : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %b_16 = tt.addptr %b_15, %b_14 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %b_17 = tt.broadcast %b_16 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
      %b_18 = tt.addptr %b_17, %10 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %b_19 = tt.load %b_18 : tensor<64x32x!tt.ptr<f16>>
      %acc_20 = tt.dot %a_13, %b_19, %acc_2, inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x32xf16> ->
              tensor<64x32xf32>
      scf.yield %o_k, %acc_20 : tensor<64xi32>, tensor<64x32xf32>
    }
    tt.return
  }
}
