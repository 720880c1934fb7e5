// `for b in range(n - 1, -1, -1)`: Triton counts from -1 on. Blocks from the last one to the first are boxes of a
// tensor with T elements, as the counter is known to be below the number of blocks. An argument whose name is a
// keyword of C++, with two views, has names that C++ leaves free.
// RUN: heddle explain %s | FileCheck %s
// CHECK: load of tensor<16xf32>: box of view 'do_'
// CHECK-NEXT: dimension 0: size T, stride 1, at 16 * div(T + 15, 16) - 16 * i - 16, along dimension 0
// CHECK: load of tensor<16xf32>: strided box of view 'do_1'
// RUN: heddle run %s --device=sim --grid=1 --scalars=T=70 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=T=70 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @descending(%do: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("do"),
      %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %T: i32) attributes {noinline = false} {
    %m1 = arith.constant -1 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %twos = arith.constant dense<2> : tensor<16xi32>
    %zero = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %lane = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %Ts = tt.splat %T : i32 -> tensor<16xi32>
    %up = arith.addi %T, %c15 : i32
    %n = arith.divsi %up, %c16 : i32
    %last = arith.subi %n, %one : i32
    %before = arith.subi %n, %two : i32
    %px = tt.splat %do : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %acc = scf.for %i = %m1 to %last step %one iter_args(%a = %zero) -> (tensor<16xf32>) : i32 {
      %b = arith.subi %before, %i : i32
      %at = arith.muli %b, %c16 : i32
      %ats = tt.splat %at : i32 -> tensor<16xi32>
      %place = arith.addi %ats, %lane : tensor<16xi32>
      %mask = arith.cmpi slt, %place, %Ts : tensor<16xi32>
      %ptrs = tt.addptr %px, %place : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      %v = tt.load %ptrs, %mask, %zero : tensor<16x!tt.ptr<f32>>
      %s = arith.addf %a, %v : tensor<16xf32>
      scf.yield %s : tensor<16xf32>
    }
    %far = arith.muli %lane, %twos : tensor<16xi32>
    %ptrs2 = tt.addptr %px, %far : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %w = tt.load %ptrs2 : tensor<16x!tt.ptr<f32>>
    %r = arith.addf %acc, %w : tensor<16xf32>
    %py = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %yp = tt.addptr %py, %lane : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    tt.store %yp, %r : tensor<16x!tt.ptr<f32>>
    tt.return
  }
}
