// Additions of 64 bits, of a tile and of one element, as losses count tokens.
// RUN: heddle run %s --device=sim --grid=3 --scalars=N=41 | FileCheck %s
// RUN: heddle run %s --device=emulate --grid=3 --scalars=N=41 --interleavings=2 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA-COUNT-2: hd::addGlobal(
module {
  tt.func public @count(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: !tt.ptr<i64>, %t: !tt.ptr<i64>, %N: i32) {
    %c16 = arith.constant 16 : i32
    %p = tt.get_program_id x : i32
    %b = arith.muli %p, %c16 : i32
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %bs = tt.splat %b : i32 -> tensor<16xi32>
    %i = arith.addi %bs, %r : tensor<16xi32>
    %ns = tt.splat %N : i32 -> tensor<16xi32>
    %m = arith.cmpi slt, %i, %ns : tensor<16xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %px = tt.addptr %xs, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    %zero = arith.constant dense<0> : tensor<16xi32>
    %v = tt.load %px, %m, %zero : tensor<16x!tt.ptr<i32>>
    %w = arith.extsi %v : tensor<16xi32> to tensor<16xi64>
    %big = arith.constant dense<4294967296> : tensor<16xi64>
    %wb = arith.muli %w, %big : tensor<16xi64>
    %ts = tt.splat %t : !tt.ptr<i64> -> tensor<16x!tt.ptr<i64>>
    %pt = tt.addptr %ts, %r : tensor<16x!tt.ptr<i64>>, tensor<16xi32>
    %old = tt.atomic_rmw add, acq_rel, gpu, %pt, %wb, %m
        : (tensor<16x!tt.ptr<i64>>, tensor<16xi64>, tensor<16xi1>) -> tensor<16xi64>
    %one = arith.constant 1 : i64
    %true = arith.constant true
    %o = tt.atomic_rmw add, acq_rel, gpu, %n, %one, %true : (!tt.ptr<i64>, i64, i1) -> i64
    tt.return
  }
}
