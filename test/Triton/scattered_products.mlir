// Rows of a product are stored where a tile of numbers says. No row of memory is named twice, so that the parts of two
// warp groups need no order: 128 x 256 has no room in one.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: Warp groups 1, 2: compute0, compute1
// Lanes that share 16 bytes of a row in a product's layout exchange them, and store 16 bytes each.
// CUDA: hd::exchangeLanes<2, 0, 0>
// CUDA: hd::exchangeLanes<4, 1, 1>
// CUDA: for (int r = 0; r < 16; ++r)
// CUDA-NEXT: hd::storeGlobalIf({{.*}} + 32 * (r >> 1)
// RUN: heddle run %s --device=sim --grid=1,1 --scalars=K=128,N=256 --input 'IDX=arange(3,2)' | FileCheck %s
// CHECK: {{^}}verified
tt.func @mm(%A: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %B: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %C:
    !tt.ptr<f16> {tt.divisibility = 16 : i32}, %IDX: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %K: i32
    {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}) {
  %acc = arith.constant dense<0.000000e+00> : tensor<128x256xf32>
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %c256_i32 = arith.constant 256 : i32
  %c128_i32 = arith.constant 128 : i32
  %pm = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %om = arith.muli %pm, %c128_i32 : i32
  %om_0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %om_1 = tt.splat %om : i32 -> tensor<128xi32>
  %om_2 = arith.addi %om_1, %om_0 : tensor<128xi32>
  %on = arith.muli %pn, %c256_i32 : i32
  %on_3 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %on_4 = tt.splat %on : i32 -> tensor<256xi32>
  %on_5 = arith.addi %on_4, %on_3 : tensor<256xi32>
  %ok = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %acc_6 = scf.for %k = %c0_i32 to %K step %c64_i32 iter_args(%acc_9 = %acc) -> (tensor<128x256xf32>)  : i32 {
    %a = tt.expand_dims %om_2 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %a_10 = tt.splat %K : i32 -> tensor<128x1xi32>
    %a_11 = arith.muli %a, %a_10 : tensor<128x1xi32>
    %a_12 = tt.splat %A : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %a_13 = tt.addptr %a_12, %a_11 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %a_14 = tt.splat %k : i32 -> tensor<128x1xi32>
    %a_15 = tt.addptr %a_13, %a_14 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %a_16 = tt.expand_dims %ok {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %a_17 = tt.broadcast %a_15 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %a_18 = tt.broadcast %a_16 : tensor<1x64xi32> -> tensor<128x64xi32>
    %a_19 = tt.addptr %a_17, %a_18 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %a_20 = tt.load %a_19 : tensor<128x64x!tt.ptr<f16>>
    %b = tt.splat %k : i32 -> tensor<64xi32>
    %b_21 = arith.addi %b, %ok : tensor<64xi32>
    %b_22 = tt.expand_dims %b_21 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %b_23 = tt.splat %B : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %b_24 = tt.addptr %b_23, %b_22 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %b_25 = tt.expand_dims %on_5 {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
    %b_26 = tt.splat %K : i32 -> tensor<1x256xi32>
    %b_27 = arith.muli %b_25, %b_26 : tensor<1x256xi32>
    %b_28 = tt.broadcast %b_24 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x256x!tt.ptr<f16>>
    %b_29 = tt.broadcast %b_27 : tensor<1x256xi32> -> tensor<64x256xi32>
    %b_30 = tt.addptr %b_28, %b_29 : tensor<64x256x!tt.ptr<f16>>, tensor<64x256xi32>
    %b_31 = tt.load %b_30 : tensor<64x256x!tt.ptr<f16>>
    %acc_32 = tt.dot %a_20, %b_31, %acc_9 : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %acc_32 : tensor<128x256xf32>
  }
  %r = tt.splat %IDX : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %r_7 = tt.addptr %r, %om_2 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %r_8 = tt.load %r_7 : tensor<128x!tt.ptr<i32>>
  %0 = tt.expand_dims %r_8 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %1 = tt.splat %N : i32 -> tensor<128x1xi32>
  %2 = arith.muli %0, %1 : tensor<128x1xi32>
  %3 = tt.splat %C : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %4 = tt.addptr %3, %2 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %5 = tt.expand_dims %on_5 {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %6 = tt.broadcast %4 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x256x!tt.ptr<f16>>
  %7 = tt.broadcast %5 : tensor<1x256xi32> -> tensor<128x256xi32>
  %8 = tt.addptr %6, %7 : tensor<128x256x!tt.ptr<f16>>, tensor<128x256xi32>
  %9 = arith.truncf %acc_6 : tensor<128x256xf32> to tensor<128x256xf16>
  tt.store %8, %9 : tensor<128x256x!tt.ptr<f16>>
  tt.return
}
