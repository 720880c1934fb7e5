// A return in one of two branches that meet: what follows them is there for each.
// RUN: heddle run %s --device=sim --grid=6 --scalars=N=6 '--input=L=integers(0,20)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=6 --scalars=N=6 '--input=L=integers(0,20)' | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @nested(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %L: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %N: i32) {
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<2.000000e+00> : tensor<64xf32>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<64xf32>
    %c3_i32 = arith.constant 3 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c10_i32 = arith.constant 10 : i32
    %p = tt.get_program_id x : i32
    %n = tt.addptr %L, %p : !tt.ptr<i32>, i32
    %n_2 = tt.load %n : !tt.ptr<i32>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = arith.cmpi sgt, %n_2, %c10_i32 : i32
    cf.cond_br %0, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    %a = tt.splat %n_2 : i32 -> tensor<64xi32>
    %a_3 = arith.cmpi slt, %i, %a : tensor<64xi32>
    %a_4 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %a_5 = tt.addptr %a_4, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a_6 = tt.load %a_5, %a_3, %cst_1 : tensor<64x!tt.ptr<f32>>
    cf.br ^bb5(%a_6 : tensor<64xf32>)
  ^bb2:  // pred: ^bb0
    %1 = arith.cmpi slt, %n_2, %c3_i32 : i32
    cf.cond_br %1, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    tt.return
  ^bb4:  // pred: ^bb2
    %a_7 = tt.splat %n_2 : i32 -> tensor<64xi32>
    %a_8 = arith.cmpi slt, %i, %a_7 : tensor<64xi32>
    %a_9 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %a_10 = tt.addptr %a_9, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a_11 = tt.load %a_10, %a_8, %cst_0 : tensor<64x!tt.ptr<f32>>
    %a_12 = arith.mulf %a_11, %cst : tensor<64xf32>
    cf.br ^bb5(%a_12 : tensor<64xf32>)
  ^bb5(%2: tensor<64xf32>):  // 2 preds: ^bb1, ^bb4
    %3 = arith.muli %p, %c64_i32 : i32
    %4 = tt.addptr %o, %3 : !tt.ptr<f32>, i32
    %5 = tt.splat %4 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %5, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %6, %2 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
