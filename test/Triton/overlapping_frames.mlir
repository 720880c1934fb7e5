// Frames that overlap are added to one signal (overlap-add): rows of the view begin 16 elements apart and have 32, so
// that elements of two rows are one of memory, to which programs and iterations add.
// RUN: heddle run %s --device=sim --grid=5 --scalars=hop=16,N=32 | FileCheck %s
// RUN: heddle run %s --device=sim --grid=5 --scalars=hop=7,N=29 | FileCheck %s
// RUN: heddle run %s --device=sim --grid=5 --scalars=hop=0,N=29 '--input=Y=uniform(1,2)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=5 --scalars=hop=16,N=32 | FileCheck %s
// CHECK: all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @k_ola_p(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %hop: i32, %N: i32) {
    %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %r = tt.get_program_id x : i32
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %0 = tt.splat %N : i32 -> tensor<32xi32>
    %1 = arith.cmpi slt, %i, %0 : tensor<32xi32>
    %2 = arith.muli %r, %hop : i32
    %3 = tt.addptr %Y, %2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %5 = tt.addptr %4, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %6 = arith.muli %r, %N : i32
    %7 = tt.addptr %X, %6 : !tt.ptr<f32>, i32
    %8 = tt.splat %7 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %9 = tt.addptr %8, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %10 = tt.load %9, %1, %cst : tensor<32x!tt.ptr<f32>>
    %11 = tt.atomic_rmw fadd, acq_rel, gpu, %5, %10, %1 : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>,
        tensor<32xi1>) -> tensor<32xf32>
    tt.return
  }
}
