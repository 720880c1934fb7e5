// Stores of different iterations to one element, which nothing orders: a race, at its place.
// RUN: not heddle run %s --device=sim --grid=1 --scalars=R=6,hop=8 2>&1 | FileCheck %s
// CHECK: overlapping_stores.mlir:{{[0-9]+}}:7: error: race in cta 0, 0, 0: expected a barrier between the store of Y
// RUN: heddle run %s --device=sim --grid=1 --scalars=R=6,hop=32 | FileCheck %s --check-prefix=APART
// APART: {{^}}verified
module {
  tt.func public @k_ovstore(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %R: i32, %hop: i32) {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c32_i32 = arith.constant 32 : i32
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    scf.for %r = %c0_i32 to %R step %c1_i32  : i32 {
      %0 = arith.muli %r, %hop : i32
      %1 = tt.addptr %Y, %0 : !tt.ptr<f32>, i32
      %2 = tt.splat %1 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %3 = tt.addptr %2, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %4 = arith.muli %r, %c32_i32 : i32
      %5 = tt.addptr %X, %4 : !tt.ptr<f32>, i32
      %6 = tt.splat %5 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %7 = tt.addptr %6, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %8 = tt.load %7 : tensor<32x!tt.ptr<f32>>
      tt.store %3, %8 : tensor<32x!tt.ptr<f32>>
    }
    tt.return
  }
}
