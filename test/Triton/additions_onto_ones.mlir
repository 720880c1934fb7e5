// Additions begin with what is given, else with zero.
// RUN: heddle run %s --device=sim --grid=2 --scalars=T=100 --input=d=ones | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=T=100 --input=d=ones | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @accumulate(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %d: !tt.ptr<f32> {tt.divisibility = 16
      : i32}, %T: i32) {
    %cst = arith.constant dense<2> : tensor<64xi32>
    %v = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c64_i32 = arith.constant 64 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c64_i32 : i32
    %i_1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<64xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<64xi32>
    %m = tt.splat %T : i32 -> tensor<64xi32>
    %m_4 = arith.cmpi slt, %i_3, %m : tensor<64xi32>
    %v_5 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %v_6 = tt.addptr %v_5, %i_3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v_7 = tt.load %v_6, %m_4, %v : tensor<64x!tt.ptr<f32>>
    %0 = arith.muli %i_3, %cst : tensor<64xi32>
    %1 = tt.splat %d : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %3 = tt.atomic_rmw fadd, relaxed, gpu, %2, %v_7, %m_4 : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>,
      tensor<64xi1>) -> tensor<64xf32>
    tt.return
  }
}
