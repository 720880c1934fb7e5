// Forty numbers, each of which the next one takes twice: what follows from what is asked once for each.
// RUN: not heddle compile %s --emit=tile 2>&1 | FileCheck %s
// CHECK: error: where the pointer points is not known
module {
  tt.func public @k(%q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
        %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %acc0 = arith.constant dense<0.0> : tensor<64xf32>
    %r:2 = scf.for %it = %c0 to %n step %c1 iter_args(%p = %q, %acc = %acc0) -> (!tt.ptr<f32>, tensor<64xf32>) : i32 {
      %x0 = arith.addi %n, %c1 : i32
      %x1 = arith.xori %x0, %x0 : i32
      %x2 = arith.xori %x1, %x1 : i32
      %x3 = arith.xori %x2, %x2 : i32
      %x4 = arith.xori %x3, %x3 : i32
      %x5 = arith.xori %x4, %x4 : i32
      %x6 = arith.xori %x5, %x5 : i32
      %x7 = arith.xori %x6, %x6 : i32
      %x8 = arith.xori %x7, %x7 : i32
      %x9 = arith.xori %x8, %x8 : i32
      %x10 = arith.xori %x9, %x9 : i32
      %x11 = arith.xori %x10, %x10 : i32
      %x12 = arith.xori %x11, %x11 : i32
      %x13 = arith.xori %x12, %x12 : i32
      %x14 = arith.xori %x13, %x13 : i32
      %x15 = arith.xori %x14, %x14 : i32
      %x16 = arith.xori %x15, %x15 : i32
      %x17 = arith.xori %x16, %x16 : i32
      %x18 = arith.xori %x17, %x17 : i32
      %x19 = arith.xori %x18, %x18 : i32
      %x20 = arith.xori %x19, %x19 : i32
      %x21 = arith.xori %x20, %x20 : i32
      %x22 = arith.xori %x21, %x21 : i32
      %x23 = arith.xori %x22, %x22 : i32
      %x24 = arith.xori %x23, %x23 : i32
      %x25 = arith.xori %x24, %x24 : i32
      %x26 = arith.xori %x25, %x25 : i32
      %x27 = arith.xori %x26, %x26 : i32
      %x28 = arith.xori %x27, %x27 : i32
      %x29 = arith.xori %x28, %x28 : i32
      %x30 = arith.xori %x29, %x29 : i32
      %x31 = arith.xori %x30, %x30 : i32
      %x32 = arith.xori %x31, %x31 : i32
      %x33 = arith.xori %x32, %x32 : i32
      %x34 = arith.xori %x33, %x33 : i32
      %x35 = arith.xori %x34, %x34 : i32
      %x36 = arith.xori %x35, %x35 : i32
      %x37 = arith.xori %x36, %x36 : i32
      %x38 = arith.xori %x37, %x37 : i32
      %x39 = arith.xori %x38, %x38 : i32
      %x40 = arith.xori %x39, %x39 : i32
      %2 = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %3 = tt.addptr %2, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %v = tt.load %3 : tensor<64x!tt.ptr<f32>>
      %s = arith.addf %acc, %v : tensor<64xf32>
      %pn = tt.addptr %p, %x40 : !tt.ptr<f32>, i32
      scf.yield %pn, %s : !tt.ptr<f32>, tensor<64xf32>
    }
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %1, %r#1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
