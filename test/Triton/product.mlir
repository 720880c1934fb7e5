// A matrix product through pointers: programs in groups of rows, wrapped rows and columns, a masked contraction.
// RUN: heddle run %s --device=sim --grid=6 --scalars=M=70,N=90,K=41,sa=48,sb=96,sc=104 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=6 --scalars=M=70,N=90,K=41,sa=48,sb=96,sc=104 \
// RUN:   | FileCheck %s
// RUN: heddle verify %s --grid=1 --scalars=M=64,N=32,K=32,sa=32,sb=32,sc=32 | FileCheck %s --check-prefix=VERIFY
// CHECK: conversion: {{[0-9]+}} addresses and masks and all results in float64 are equal
// CHECK: {{^}}verified
// VERIFY: protocol holds
// The columns of its tiles are quotients by a minimum with a difference, which are taken to be at least 0: the copy
// engine stores them all.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=STORE --implicit-check-not=uint16_t
// STORE: hd::tmaStore(

// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of tensor<64x32xf16>: box of view 'a'
// EXPLAIN-NEXT: dimension 0: size M, stride sa, at {{.*}}, along dimension 0 of the tile
// EXPLAIN-NEXT: dimension 1: size K, stride 1, at 32 * i, along dimension 1 of the tile
// EXPLAIN-NEXT: wrapped beyond lane {{.*}} of dimension 0: such lanes are never stored
// EXPLAIN: load of tensor<32x32xf16>: box of view 'b'
// EXPLAIN: store of tensor<64x32xf16>: box, if aligned at the launch of view 'c'
// EXPLAIN: the copy engine needs sc a multiple of 8

// Where several groups compute, they run one instance of their function: whoever asked for the kernel waits for NVRTC.
// RUN: sed 's/64x/128x/g; s/<64>/<128>/g; s/end = 64/end = 128/; s/constant 64/constant 128/; s/constant 63/constant 127/' \
// RUN:   %s > %t.two.mlir
// RUN: echo '{kernel = {retile = 0}}' > %t.blocks
// RUN: heddle compile %t.two.mlir --emit=cuda --plan=%t.blocks > %t.two.cu
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t.two.cu
// RUN: heddle run %t.two.mlir --device=emulate --interleavings=1 --grid=6 \
// RUN:   --scalars=M=70,N=90,K=41,sa=48,sb=96,sc=104 | FileCheck %s
// ONE: compute(const int group
// ONE: compute(warpgroup - 1
// RUN: heddle compile %t.two.mlir --emit=plan --plan=%t.blocks > %t.two.plan
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.two.plan
// RUN: heddle compile %t.two.mlir --plan=%t.two.plan --emit=cuda > %t.again.cu
// RUN: diff -I "plan:" %t.two.cu %t.again.cu
// PLAN: one_code = true{{.*}}default: {{.*}}one_code

// RUN: heddle compile %s -o %t && FileCheck %s --check-prefix=LAUNCH < %t/launch.json
// LAUNCH: "grid": [
// LAUNCH-NEXT: "grid_x"
// LAUNCH: "name": "M"
// LAUNCH: "name": "a"
// LAUNCH: "of": "a"
module {
  tt.func public @product(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16
      : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32, %K: i32,
      %sa: i32 {tt.divisibility = 16 : i32}, %sb: i32 {tt.divisibility = 16 : i32},
      %sc: i32) attributes {noinline = false} {
    %zero = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %za = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %zb = arith.constant dense<0.000000e+00> : tensor<32x32xf16>
    %move = arith.constant dense<32> : tensor<64x32xi32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %m0 = arith.addi %M, %c63 : i32
    %rows = arith.divsi %m0, %c64 : i32
    %n0 = arith.addi %N, %c31 : i32
    %columns = arith.divsi %n0, %c32 : i32
    %group = arith.muli %columns, %c2 : i32
    %g = arith.divsi %pid, %group : i32
    %first = arith.muli %g, %c2 : i32
    %left = arith.subi %rows, %first : i32
    %size = arith.minsi %left, %c2 : i32
    %inside = arith.remsi %pid, %group : i32
    %r0 = arith.remsi %inside, %size : i32
    %pm = arith.addi %first, %r0 : i32
    %pn = arith.divsi %inside, %size : i32
    %fine = arith.cmpi sge, %pm, %c0 : i32
    llvm.intr.assume %fine : i1
    %m = arith.muli %pm, %c64 : i32
    %l64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %l32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %ms = tt.splat %m : i32 -> tensor<64xi32>
    %am = arith.addi %ms, %l64 : tensor<64xi32>
    %Ms = tt.splat %M : i32 -> tensor<64xi32>
    %wm = arith.remsi %am, %Ms : tensor<64xi32>
    %n = arith.muli %pn, %c32 : i32
    %ns = tt.splat %n : i32 -> tensor<32xi32>
    %bn = arith.addi %ns, %l32 : tensor<32xi32>
    %Ns = tt.splat %N : i32 -> tensor<32xi32>
    %wn = arith.remsi %bn, %Ns : tensor<32xi32>
    %wm1 = tt.expand_dims %wm {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %sas = tt.splat %sa : i32 -> tensor<64x1xi32>
    %arow = arith.muli %wm1, %sas : tensor<64x1xi32>
    %k0 = tt.expand_dims %l32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %arow2 = tt.broadcast %arow : tensor<64x1xi32> -> tensor<64x32xi32>
    %acol2 = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<64x32xi32>
    %aoff = arith.addi %arow2, %acol2 : tensor<64x32xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %ap = tt.addptr %as, %aoff : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %k1 = tt.expand_dims %l32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %sbs = tt.splat %sb : i32 -> tensor<32x1xi32>
    %brow = arith.muli %k1, %sbs : tensor<32x1xi32>
    %wn0 = tt.expand_dims %wn {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %brow2 = tt.broadcast %brow : tensor<32x1xi32> -> tensor<32x32xi32>
    %bcol2 = tt.broadcast %wn0 : tensor<1x32xi32> -> tensor<32x32xi32>
    %boff = arith.addi %brow2, %bcol2 : tensor<32x32xi32>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %bp = tt.addptr %bs, %boff : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %kk = arith.addi %K, %c31 : i32
    %steps = arith.divsi %kk, %c32 : i32
    %sum:3 = scf.for %i = %c0 to %steps step %c1 iter_args(%apk = %ap, %bpk = %bp, %acc = %zero)
        -> (tensor<64x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>, tensor<64x32xf32>)  : i32 {
      %done = arith.muli %i, %c32 : i32
      %rest = arith.subi %K, %done : i32
      %rest0 = tt.splat %rest : i32 -> tensor<1x32xi32>
      %in0 = arith.cmpi slt, %k0, %rest0 : tensor<1x32xi32>
      %ma = tt.broadcast %in0 : tensor<1x32xi1> -> tensor<64x32xi1>
      %at = tt.load %apk, %ma, %za evictionPolicy = evict_last : tensor<64x32x!tt.ptr<f16>>
      %rest1 = tt.splat %rest : i32 -> tensor<32x1xi32>
      %in1 = arith.cmpi slt, %k1, %rest1 : tensor<32x1xi32>
      %mb = tt.broadcast %in1 : tensor<32x1xi1> -> tensor<32x32xi1>
      %bt = tt.load %bpk, %mb, %zb : tensor<32x32x!tt.ptr<f16>>
      %next = tt.dot %at, %bt, %acc, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x32xf16> -> tensor<64x32xf32>
      %anext = tt.addptr %apk, %move : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %bmove = arith.muli %sb, %c32 : i32
      %bmoves = tt.splat %bmove : i32 -> tensor<32x32xi32>
      %bnext = tt.addptr %bpk, %bmoves : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      scf.yield %anext, %bnext, %next : tensor<64x32x!tt.ptr<f16>>, tensor<32x32x!tt.ptr<f16>>, tensor<64x32xf32>
    }
    %half = arith.truncf %sum#2 : tensor<64x32xf32> to tensor<64x32xf16>
    %am1 = tt.expand_dims %am {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %scs = tt.splat %sc : i32 -> tensor<64x1xi32>
    %crow = arith.muli %scs, %am1 : tensor<64x1xi32>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %cr = tt.addptr %cs, %crow : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %bn0 = tt.expand_dims %bn {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %cr2 = tt.broadcast %cr : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
    %cc2 = tt.broadcast %bn0 : tensor<1x32xi32> -> tensor<64x32xi32>
    %cp = tt.addptr %cr2, %cc2 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %M1 = tt.splat %M : i32 -> tensor<64x1xi32>
    %inm = arith.cmpi slt, %am1, %M1 : tensor<64x1xi32>
    %N0 = tt.splat %N : i32 -> tensor<1x32xi32>
    %inn = arith.cmpi slt, %bn0, %N0 : tensor<1x32xi32>
    %inm2 = tt.broadcast %inm : tensor<64x1xi1> -> tensor<64x32xi1>
    %inn2 = tt.broadcast %inn : tensor<1x32xi1> -> tensor<64x32xi1>
    %mask = arith.andi %inm2, %inn2 : tensor<64x32xi1>
    tt.store %cp, %half, %mask : tensor<64x32x!tt.ptr<f16>>
    tt.return
  }
}
