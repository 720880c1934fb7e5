// Elements named by a tile that lie in front of a constant: the view begins at the tensor.
// RUN: heddle run %s --device=sim --grid=5 --scalars=N=0 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=5 --scalars=N=0 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @flip(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 :
      i32}, %N: i32 {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<0> : tensor<128xi32>
    %cst_0 = arith.constant dense<31> : tensor<128xi32>
    %c589_i32 = arith.constant 589 : i32
    %m = arith.constant dense<620> : tensor<128xi32>
    %c128_i32 = arith.constant 128 : i32
    %i = tt.get_program_id x : i32
    %i_1 = arith.muli %i, %c128_i32 : i32
    %i_2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %i_3 = tt.splat %i_1 : i32 -> tensor<128xi32>
    %i_4 = arith.addi %i_3, %i_2 : tensor<128xi32>
    %m_5 = arith.cmpi slt, %i_4, %m : tensor<128xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_4 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %2 = tt.addptr %x, %c589_i32 : !tt.ptr<f32>, i32
    %3 = arith.remsi %i_4, %cst_0 : tensor<128xi32>
    %4 = tt.splat %2 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %5 = tt.addptr %4, %3 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %6 = arith.divsi %i_4, %cst_0 : tensor<128xi32>
    %7 = arith.muli %6, %cst_0 : tensor<128xi32>
    %8 = arith.subi %cst, %7 : tensor<128xi32>
    %9 = tt.addptr %5, %8 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %10 = tt.load %9, %m_5 : tensor<128x!tt.ptr<f32>>
    tt.store %1, %10, %m_5 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
