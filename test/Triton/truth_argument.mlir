// A truth value as an argument, which is a number in tile programs.
// RUN: heddle run %s --device=sim --grid=2 --scalars=N=100,neg=1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=N=100,neg=1 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @negate(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %N: i32, %neg: i1) {
    %cst = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c64_i32 = arith.constant 64 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c64_i32 : i32
    %i_1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<64xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<64xi32>
    %x = tt.splat %N : i32 -> tensor<64xi32>
    %x_4 = arith.cmpi slt, %i_3, %x : tensor<64xi32>
    %x_5 = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %x_6 = tt.addptr %x_5, %i_3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x_7 = tt.load %x_6, %x_4 : tensor<64x!tt.ptr<f32>>
    %0 = scf.if %neg -> (tensor<64xf32>) {
      %x_8 = arith.subf %cst, %x_7 : tensor<64xf32>
      scf.yield %x_8 : tensor<64xf32>
    } else {
      scf.yield %x_7 : tensor<64xf32>
    }
    %1 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %2 = tt.addptr %1, %i_3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %2, %0, %x_4 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
