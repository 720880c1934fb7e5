// The product of two polynomials: each iteration adds a row to memory that begins one element behind the last one.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=10,m=20 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=n=10,m=20 | FileCheck %s
// CHECK: all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @k_pa(%A: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %Bq: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %m: i32) {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %b = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %b_0 = tt.splat %m : i32 -> tensor<32xi32>
    %b_1 = arith.cmpi slt, %i, %b_0 : tensor<32xi32>
    %b_2 = tt.splat %Bq : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %b_3 = tt.addptr %b_2, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %b_4 = tt.load %b_3, %b_1, %b : tensor<32x!tt.ptr<f32>>
    scf.for %a = %c0_i32 to %n step %c1_i32  : i32 {
      %0 = tt.addptr %Y, %a : !tt.ptr<f32>, i32
      %1 = tt.splat %0 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %2 = tt.addptr %1, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %3 = tt.addptr %A, %a : !tt.ptr<f32>, i32
      %4 = tt.load %3 : !tt.ptr<f32>
      %5 = tt.splat %4 : f32 -> tensor<32xf32>
      %6 = arith.mulf %5, %b_4 : tensor<32xf32>
      %7 = tt.atomic_rmw fadd, acq_rel, gpu, %2, %6, %b_1 : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>,
        tensor<32xi1>) -> tensor<32xf32>
    }
    tt.return
  }
}
