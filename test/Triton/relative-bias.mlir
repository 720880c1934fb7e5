// A table of biases by distance, from positions that memory gives: the distance goes back, and rows of one stride move
// it, so that no row lies in front of the table for certain. Reached element by element.
// RUN: heddle run %s --device=sim --grid=2 --input "keys=integers(0,64)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --input "keys=integers(0,64)" | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: element by element of view 'table'
// EXPLAIN: no box: rows that a tile names may lie in front of
module {
  tt.func public @relative_bias(%keys: !tt.ptr<i32>, %table: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
    %c16_i32 = arith.constant 16 : i32
    %c64_i32 = arith.constant 64 : i32
    %far = arith.constant dense<64> : tensor<16x64xi32>
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c16_i32 : i32
    %rows = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = tt.splat %first : i32 -> tensor<16xi32>
    %m = arith.addi %0, %rows : tensor<16xi32>
    %1 = tt.splat %keys : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %2 = tt.addptr %1, %columns : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %n = tt.load %2 : tensor<64x!tt.ptr<i32>>
    %3 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %4 = tt.broadcast %3 : tensor<16x1xi32> -> tensor<16x64xi32>
    %5 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %6 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<16x64xi32>
    %7 = arith.subi %4, %6 : tensor<16x64xi32>
    %8 = arith.addi %7, %far : tensor<16x64xi32>
    %9 = tt.splat %table : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %10 = tt.addptr %9, %8 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %bias = tt.load %10 : tensor<16x64x!tt.ptr<f32>>
    %11 = tt.splat %c64_i32 : i32 -> tensor<16x64xi32>
    %12 = arith.muli %4, %11 : tensor<16x64xi32>
    %13 = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %14 = tt.broadcast %13 : tensor<1x64xi32> -> tensor<16x64xi32>
    %15 = arith.addi %12, %14 : tensor<16x64xi32>
    %16 = tt.splat %o : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %17 = tt.addptr %16, %15 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    tt.store %17, %bias : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
