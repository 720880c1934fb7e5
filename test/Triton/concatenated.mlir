// tl.cat keeps the order of elements, of numbers, truth values and tiles of one element, also in a kernel of one row;
// tl.device_print prints nothing, which a warning says.
// RUN: rm -rf %t && split-file %s %t
// RUN: heddle run %t/row.mlir --device=sim --grid=1 2> %t/errors | FileCheck %s
// RUN: FileCheck %s --check-prefix=PRINT < %t/errors
// RUN: heddle run %t/row.mlir --device=emulate --interleavings=1 --grid=1 2> %t/errors | FileCheck %s
// RUN: heddle run %t/tiles.mlir --device=sim --grid=1 | FileCheck %s
// CHECK: all results in float64 are equal
// CHECK: {{^}}verified
// PRINT: row.mlir:14:5: warning: tl.device_print prints nothing in a kernel that Heddle compiles
//--- row.mlir
module {
  tt.func public @k_cat(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c1_i32 = arith.constant 1 : i32
    %b = arith.constant 32 : i32
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %a = tt.splat %X : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %a_0 = tt.addptr %a, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %a_1 = tt.load %a_0 : tensor<32x!tt.ptr<f32>>
    %b_2 = tt.addptr %X, %b : !tt.ptr<f32>, i32
    %b_3 = tt.splat %b_2 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %b_4 = tt.addptr %b_3, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %b_5 = tt.load %b_4 : tensor<32x!tt.ptr<f32>>
    %c = tt.cat %a_1, %b_5 : tensor<32xf32> -> tensor<64xf32>
    tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %c : tensor<64xf32>
    %0 = arith.mulf %c, %c : tensor<64xf32>
    %1 = tt.reshape %0 allow_reorder : tensor<64xf32> -> tensor<64xf32>
    %2 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %8 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %8 : f32
    }) : (tensor<64xf32>) -> f32
    tt.store %Y, %2 : !tt.ptr<f32>
    %3 = tt.addptr %Y, %c1_i32 : !tt.ptr<f32>, i32
    %4 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %5 = tt.splat %3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %6 = tt.addptr %5, %4 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %c_6 = tt.join %a_1, %b_5 : tensor<32xf32> -> tensor<32x2xf32>
    %7 = tt.reshape %c_6 : tensor<32x2xf32> -> tensor<64xf32>
    tt.store %6, %7 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
//--- tiles.mlir
module {
  tt.func public @k(%X: !tt.ptr<f32>, %Y: !tt.ptr<f32>) {
    %l = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %w = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %one = tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32>
    %two = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %zero = arith.constant dense<0.0> : tensor<32xf32>
    %zeros = arith.constant dense<0.0> : tensor<64xf32>
    %c64 = arith.constant 64 : i32
    %xs = tt.splat %X : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %l : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %x = tt.load %xp : tensor<32x!tt.ptr<f32>>
    %above = arith.cmpf ogt, %x, %zero : tensor<32xf32>
    %below = arith.cmpf olt, %x, %zero : tensor<32xf32>
    %truth = tt.cat %above, %below : tensor<32xi1> -> tensor<64xi1>
    %double = arith.addf %x, %x : tensor<32xf32>
    %both = tt.cat %x, %double : tensor<32xf32> -> tensor<64xf32>
    %chosen = arith.select %truth, %both, %zeros : tensor<64xi1>, tensor<64xf32>
    %ys = tt.splat %Y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %yp, %chosen : tensor<64x!tt.ptr<f32>>
    %os = tt.splat %X : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
    %op = tt.addptr %os, %one : tensor<1x!tt.ptr<f32>>, tensor<1xi32>
    %o = tt.load %op : tensor<1x!tt.ptr<f32>>
    %sum = arith.addf %o, %o : tensor<1xf32>
    %pair = tt.cat %o, %sum : tensor<1xf32> -> tensor<2xf32>
    %yq = tt.addptr %Y, %c64 : !tt.ptr<f32>, i32
    %yqs = tt.splat %yq : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %yqp = tt.addptr %yqs, %two : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    tt.store %yqp, %pair : tensor<2x!tt.ptr<f32>>
    tt.return
  }
}
