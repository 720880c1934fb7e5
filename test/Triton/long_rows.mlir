// A row that is too long for one tile: said once, with what to do.
// RUN: not heddle compile %s --emit=cuda 2>&1 | FileCheck %s
// CHECK: error: 'tile.load' op expected a tile of rank at most 4 and sizes from 1 to 32768, got 'tensor<1x65536xf16>'
// CHECK-SAME: (a loop over parts of it has smaller ones)
// CHECK-NOT: error:
module {
  tt.func public @k_bigln(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %W: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %Y: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %N: i32 {tt.divisibility = 16 : i32}, %eps: f32) attributes {noinline = false} {
    %x = arith.constant dense<0.000000e+00> : tensor<65536xf16>
    %rs = arith.constant 1.000000e+00 : f32
    %cst = arith.constant dense<0.000000e+00> : tensor<65536xf32>
    %r = tt.get_program_id x : i32
    %c = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
    %m = tt.splat %N : i32 -> tensor<65536xi32>
    %m_0 = arith.cmpi slt, %c, %m : tensor<65536xi32>
    %x_1 = arith.muli %r, %N : i32
    %x_2 = tt.addptr %X, %x_1 : !tt.ptr<f16>, i32
    %x_3 = tt.splat %x_2 : !tt.ptr<f16> -> tensor<65536x!tt.ptr<f16>>
    %x_4 = tt.addptr %x_3, %c : tensor<65536x!tt.ptr<f16>>, tensor<65536xi32>
    %x_5 = tt.load %x_4, %m_0, %x : tensor<65536x!tt.ptr<f16>>
    %x_6 = arith.extf %x_5 : tensor<65536xf16> to tensor<65536xf32>
    %rs_7 = arith.mulf %x_6, %x_6 : tensor<65536xf32>
    %rs_8 = tt.reshape %rs_7 allow_reorder : tensor<65536xf32> -> tensor<65536xf32>
    %rs_9 = "tt.reduce"(%rs_8) <{axis = 0 : i32}> ({
    ^bb0(%rs_15: f32, %rs_16: f32):
      %rs_17 = arith.addf %rs_15, %rs_16 : f32
      tt.reduce.return %rs_17 : f32
    }) : (tensor<65536xf32>) -> f32
    %rs_10 = arith.sitofp %N : i32 to f32
    %rs_11 = arith.divf %rs_9, %rs_10 : f32
    %rs_12 = arith.addf %rs_11, %eps : f32
    %rs_13 = math.sqrt %rs_12 : f32
    %rs_14 = arith.divf %rs, %rs_13 : f32
    %0 = tt.addptr %Y, %x_1 : !tt.ptr<f16>, i32
    %1 = tt.splat %0 : !tt.ptr<f16> -> tensor<65536x!tt.ptr<f16>>
    %2 = tt.addptr %1, %c : tensor<65536x!tt.ptr<f16>>, tensor<65536xi32>
    %3 = tt.splat %rs_14 : f32 -> tensor<65536xf32>
    %4 = arith.mulf %x_6, %3 : tensor<65536xf32>
    %5 = tt.splat %W : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
    %6 = tt.addptr %5, %c : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
    %7 = tt.load %6, %m_0, %cst : tensor<65536x!tt.ptr<f32>>
    %8 = arith.mulf %4, %7 : tensor<65536xf32>
    %9 = arith.truncf %8 : tensor<65536xf32> to tensor<65536xf16>
    tt.store %2, %9, %m_0 : tensor<65536x!tt.ptr<f16>>
    tt.return
  }
}
