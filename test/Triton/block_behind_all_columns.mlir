// A second block behind all columns, as an unrolled loop has one: its view is empty, and masks let nothing through.
// RUN: heddle run %s --device=sim --grid=1 --scalars=C=96 | FileCheck %s
// RUN: heddle run %s --device=sim --grid=1 --scalars=C=64 | FileCheck %s
// RUN: heddle run %s --device=sim --grid=1 --scalars=C=48 | FileCheck %s
// RUN: heddle run %s --device=emulate --grid=1 --scalars=C=48 --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @twice(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %C: i32) {
    %two = arith.constant dense<2.0> : tensor<64xf32>
    %c64 = arith.constant dense<64> : tensor<64xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %Cs = tt.splat %C : i32 -> tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %in = arith.cmpi slt, %c, %Cs : tensor<64xi32>
    %px = tt.addptr %xs, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %px, %in : tensor<64x!tt.ptr<f32>>
    %w = arith.mulf %v, %two : tensor<64xf32>
    %po = tt.addptr %os, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %po, %w, %in : tensor<64x!tt.ptr<f32>>
    %d = arith.addi %c, %c64 : tensor<64xi32>
    %inside = arith.cmpi slt, %d, %Cs : tensor<64xi32>
    %qx = tt.addptr %xs, %d : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %y = tt.load %qx, %inside : tensor<64x!tt.ptr<f32>>
    %z = arith.mulf %y, %two : tensor<64xf32>
    %qo = tt.addptr %os, %d : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %qo, %z, %inside : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
