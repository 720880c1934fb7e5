// Truth values in memory are bytes.
// RUN: heddle run %s --device=sim --grid=2 --scalars=N=100 '--input=k=integers(0,2)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=N=100 '--input=k=integers(0,2)' \
// RUN:   | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @choose(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %k: !tt.ptr<i1> {tt.divisibility = 16 :
      i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %N: i32) {
    %v = arith.constant dense<3.000000e+00> : tensor<64xf32>
    %cst = arith.constant dense<0> : tensor<64xi8>
    %cst_0 = arith.constant dense<0> : tensor<64xi32>
    %c64_i32 = arith.constant 64 : i32
    %i = tt.get_program_id x : i32
    %i_1 = arith.muli %i, %c64_i32 : i32
    %i_2 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_3 = tt.splat %i_1 : i32 -> tensor<64xi32>
    %i_4 = arith.addi %i_3, %i_2 : tensor<64xi32>
    %kk = tt.splat %N : i32 -> tensor<64xi32>
    %kk_5 = arith.cmpi slt, %i_4, %kk : tensor<64xi32>
    %kk_6 = tt.splat %k : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
    %kk_7 = tt.addptr %kk_6, %i_4 : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
    %kk_8 = tt.bitcast %kk_7 : tensor<64x!tt.ptr<i1>> -> tensor<64x!tt.ptr<i8>>
    %kk_9 = tt.load %kk_8, %kk_5, %cst : tensor<64x!tt.ptr<i8>>
    %kk_10 = arith.cmpi ne, %kk_9, %cst : tensor<64xi8>
    %kk_11 = arith.extui %kk_10 : tensor<64xi1> to tensor<64xi32>
    %kk_12 = arith.cmpi ne, %kk_11, %cst_0 : tensor<64xi32>
    %v_13 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %v_14 = tt.addptr %v_13, %i_4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v_15 = tt.load %v_14, %kk_12, %v : tensor<64x!tt.ptr<f32>>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %1, %v_15, %kk_12 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
