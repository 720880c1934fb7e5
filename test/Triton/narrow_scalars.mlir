// Scalars of 8 bits wrap in 8 bits, and so do factors as random numbers have them in 32.
// RUN: heddle run %s --device=sim --grid=3 --input "p=integers(60,120)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @k(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %c1 = arith.constant 1 : i32
    %s = tt.load %p : !tt.ptr<i8>
    %p1 = tt.addptr %p, %c1 : !tt.ptr<i8>, i32
    %t = tt.load %p1 : !tt.ptr<i8>
    %u = arith.addi %s, %t : i8
    %wide = arith.extsi %u : i8 to i32
    %pid = tt.get_program_id x : i32
    %factor = arith.constant 1103515245 : i32
    %five = arith.constant 5 : i32
    %shift = arith.constant 65536 : i32
    %m = arith.muli %pid, %factor : i32
    %n = arith.muli %m, %five : i32
    %rest = arith.remsi %n, %five : i32
    %high = arith.divsi %m, %shift : i32
    %random = arith.addi %rest, %high : i32
    %w = arith.addi %wide, %random : i32
    %c64 = arith.constant 64 : i32
    %place = arith.muli %pid, %c64 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ws = tt.splat %w : i32 -> tensor<64xi32>
    %v = arith.addi %ws, %i : tensor<64xi32>
    %at = tt.addptr %o, %place : !tt.ptr<i32>, i32
    %0 = tt.splat %at : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %1, %v : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
