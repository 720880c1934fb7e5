// A descriptor whose sizes and strides carry its name: they are told apart. What the kernel does not store is no NaN,
// as it is elsewhere, where it is said what is there.
// RUN: heddle run %s --device=sim --grid=1 --scalars=x_1=70,x_2=40,x_3=48,x_4=1,n_count=128 --input 'out=const(3)' \
// RUN:   --output out=%t.npy | FileCheck %s
// RUN: od -A n -t f4 -w256 -j 16512 -N 256 %t.npy | FileCheck %s --check-prefix=FILE
// CHECK: {{^}}verified
// FILE-NOT: nan
// RUN: heddle compile %s -o %t && FileCheck %s --check-prefix=LAUNCH < %t/launch.json
// LAUNCH: "arguments": [
// LAUNCH-NEXT: "x",
// LAUNCH-NEXT: "x_1",
// LAUNCH-NEXT: "x_2",
// LAUNCH-NEXT: "x_3",
// LAUNCH-NEXT: "x_4",
// LAUNCH-NEXT: "out",
// LAUNCH-NEXT: "n_count"
// LAUNCH: "argument": 5
#at = loc("kernel.py":1:0)
module {
  tt.func public @k(%0: !tt.tensordesc<tensor<64x64xf32>> loc("x"(#at)), %1: i32 loc("x"(#at)), %2: i32 loc("x"(#at)),
      %3: i64 loc("x"(#at)), %4: i64 loc("x"(#at)), %out: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("out"(#at)),
      %count: i32 loc("n.count"(#at))) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %row = arith.muli %pid, %c64 : i32
    %tile = tt.descriptor_load %0[%row, %c0] : !tt.tensordesc<tensor<64x64xf32>> -> tensor<64x64xf32>
    %lane = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tt.splat %row : i32 -> tensor<64xi32>
    %r = arith.addi %rows, %lane : tensor<64xi32>
    %pitch = arith.constant dense<64> : tensor<64xi32>
    %p = arith.muli %r, %pitch : tensor<64xi32>
    %p1 = tt.expand_dims %p {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %p2 = tt.broadcast %p1 : tensor<64x1xi32> -> tensor<64x64xi32>
    %l0 = tt.expand_dims %lane {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %l2 = tt.broadcast %l0 : tensor<1x64xi32> -> tensor<64x64xi32>
    %at = arith.addi %p2, %l2 : tensor<64x64xi32>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %to = tt.addptr %outs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %bound = tt.splat %count : i32 -> tensor<64xi32>
    %in = arith.cmpi slt, %r, %bound : tensor<64xi32>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %mask = tt.broadcast %in1 : tensor<64x1xi1> -> tensor<64x64xi1>
    tt.store %to, %tile, %mask : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
