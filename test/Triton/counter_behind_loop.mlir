// What a counter is behind its loop: the number that ended it.
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=4 --input x=ones | FileCheck %s
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=1 --input x=ones | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=COUNTED
// COUNTED: scf.for
module {
  tt.func public @k(%o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %n: i32) {
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %l = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %x0 = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %x1 = tt.addptr %x0, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %acc0 = arith.constant dense<0.0> : tensor<64xf32>
    %r:2 = scf.while (%i = %c0, %acc = %acc0) : (i32, tensor<64xf32>) -> (i32, tensor<64xf32>) {
      %c = arith.cmpi slt, %i, %n : i32
      scf.condition(%c) %i, %acc : i32, tensor<64xf32>
    } do {
    ^bb0(%i: i32, %acc: tensor<64xf32>):
      %off = arith.muli %i, %c64 : i32
      %os = tt.splat %off : i32 -> tensor<64xi32>
      %p = tt.addptr %x1, %os : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %v = tt.load %p : tensor<64x!tt.ptr<f32>>
      %s = arith.addf %acc, %v : tensor<64xf32>
      %i2 = arith.addi %i, %c1 : i32
      scf.yield %i2, %s : i32, tensor<64xf32>
    }
    %cnt = arith.sitofp %r#0 : i32 to f32
    %cs = tt.splat %cnt : f32 -> tensor<64xf32>
    %mean = arith.divf %r#1, %cs : tensor<64xf32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %1, %mean : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
