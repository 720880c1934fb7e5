// A scalar of 8 bits has a sign.
// RUN: heddle run %s --device=sim --grid=1 --input "p=integers(-100,-1)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input "p=integers(-100,-1)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @narrow_scalar(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility =
      16 : i32}) {
    %c128_i32 = arith.constant 128 : i32
    %c1_i8 = arith.constant 1 : i8
    %c64_i32 = arith.constant 64 : i32
    %s = tt.load %p : !tt.ptr<i8>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %2 = arith.extsi %s : i8 to i32
    %3 = tt.splat %2 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %i : tensor<64xi32>
    %5 = arith.sitofp %4 : tensor<64xi32> to tensor<64xf32>
    tt.store %1, %5 : tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %o, %c64_i32 : !tt.ptr<f32>, i32
    %7 = tt.splat %6 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %8 = tt.addptr %7, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %9 = arith.shrsi %s, %c1_i8 : i8
    %10 = arith.extsi %9 : i8 to i32
    %11 = tt.splat %10 : i32 -> tensor<64xi32>
    %12 = arith.addi %11, %i : tensor<64xi32>
    %13 = arith.sitofp %12 : tensor<64xi32> to tensor<64xf32>
    tt.store %8, %13 : tensor<64x!tt.ptr<f32>>
    %14 = tt.addptr %o, %c128_i32 : !tt.ptr<f32>, i32
    %15 = tt.splat %14 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %16 = tt.addptr %15, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %17 = arith.sitofp %s : i8 to f32
    %18 = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
    %19 = tt.splat %17 : f32 -> tensor<64xf32>
    %20 = arith.addf %19, %18 : tensor<64xf32>
    tt.store %16, %20 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
