// Columns named by a tile, in a kernel without a product: elements one by one, of a tile as large as others are.
// RUN: heddle run %s --device=sim --grid=1 --scalars=S=40,n=3 '--input=I=integers(0,40)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=S=40,n=3 \
// RUN:   '--input=I=integers(0,40)' | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @permuted_columns(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %I: !tt.ptr<i32> {tt.divisibility
      = 16 : i32}, %O: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %S: i32, %n: i32) {
    %acc = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<32> : tensor<32x1xi32>
    %c32_i32 = arith.constant 32 : i32
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %acc_0 = scf.for %k = %c0_i32 to %n step %c1_i32 iter_args(%acc_1 = %acc) -> (tensor<32x32xf32>)  : i32 {
      %ix = arith.muli %k, %c32_i32 : i32
      %ix_2 = tt.addptr %I, %ix : !tt.ptr<i32>, i32
      %ix_3 = tt.splat %ix_2 : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
      %ix_4 = tt.addptr %ix_3, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
      %ix_5 = tt.load %ix_4 : tensor<32x!tt.ptr<i32>>
      %acc_6 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %acc_7 = tt.splat %S : i32 -> tensor<32x1xi32>
      %acc_8 = arith.muli %acc_6, %acc_7 : tensor<32x1xi32>
      %acc_9 = tt.splat %X : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
      %acc_10 = tt.addptr %acc_9, %acc_8 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
      %acc_11 = tt.expand_dims %ix_5 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
      %acc_12 = tt.broadcast %acc_10 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x32x!tt.ptr<f32>>
      %acc_13 = tt.broadcast %acc_11 : tensor<1x32xi32> -> tensor<32x32xi32>
      %acc_14 = tt.addptr %acc_12, %acc_13 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
      %acc_15 = tt.load %acc_14 : tensor<32x32x!tt.ptr<f32>>
      %acc_16 = arith.addf %acc_1, %acc_15 : tensor<32x32xf32>
      scf.yield %acc_16 : tensor<32x32xf32>
    }
    %0 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %1 = arith.muli %0, %cst : tensor<32x1xi32>
    %2 = tt.splat %O : !tt.ptr<f32> -> tensor<32x1x!tt.ptr<f32>>
    %3 = tt.addptr %2, %1 : tensor<32x1x!tt.ptr<f32>>, tensor<32x1xi32>
    %4 = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %5 = tt.broadcast %3 : tensor<32x1x!tt.ptr<f32>> -> tensor<32x32x!tt.ptr<f32>>
    %6 = tt.broadcast %4 : tensor<1x32xi32> -> tensor<32x32xi32>
    %7 = tt.addptr %5, %6 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    tt.store %7, %acc_0 : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
}
