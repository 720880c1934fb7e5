// The greatest number of each row and where it is, the first one of several; where the least one is, whichever; and the
// numbers of a second tensor that belong to them. Small integers, so that rows have equal values.
// RUN: heddle run %s --device=sim --grid=2 '--input=x=integers(0,9)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 '--input=x=integers(0,9)' | FileCheck %s
// RUN: heddle run %s --device=sim --grid=2 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @extremes(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16
      : i32}, %values: !tt.ptr<f32>, %first: !tt.ptr<i32>, %least: !tt.ptr<i32>, %of: !tt.ptr<i32>) {
    %c16 = arith.constant 16 : i32
    %pid = tt.get_program_id x : i32
    %begin = arith.muli %pid, %c16 : i32
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %begins = tt.splat %begin : i32 -> tensor<16xi32>
    %rows = arith.addi %begins, %r : tensor<16xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %c64 = arith.constant dense<64> : tensor<16x1xi32>
    %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %r64 = arith.muli %r1, %c64 : tensor<16x1xi32>
    %rb = tt.broadcast %r64 : tensor<16x1xi32> -> tensor<16x64xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tt.broadcast %c1 : tensor<1x64xi32> -> tensor<16x64xi32>
    %at = arith.addi %rb, %cb : tensor<16x64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %t = tt.load %xp : tensor<16x64x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>>
    %yp = tt.addptr %ys, %at : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
    %u = tt.load %yp : tensor<16x64x!tt.ptr<i32>>
    %m:2 = "tt.reduce"(%t, %cb) <{axis = 1 : i32}> ({
    ^bb0(%v: f32, %i: i32, %w: f32, %j: i32):
      %tie = arith.cmpf oeq, %v, %w : f32
      %before = arith.cmpi slt, %i, %j : i32
      %both = arith.andi %tie, %before : i1
      %gt = arith.cmpf ogt, %v, %w : f32
      %either = arith.ori %gt, %both : i1
      %value = arith.select %either, %v, %w : f32
      %number = arith.select %either, %i, %j : i32
      tt.reduce.return %value, %number : f32, i32
    }) : (tensor<16x64xf32>, tensor<16x64xi32>) -> (tensor<16xf32>, tensor<16xi32>)
    %n:2 = "tt.reduce"(%t, %cb) <{axis = 1 : i32}> ({
    ^bb0(%v: f32, %i: i32, %w: f32, %j: i32):
      %lt = arith.cmpf olt, %v, %w : f32
      %value = arith.select %lt, %v, %w : f32
      %number = arith.select %lt, %i, %j : i32
      tt.reduce.return %value, %number : f32, i32
    }) : (tensor<16x64xf32>, tensor<16x64xi32>) -> (tensor<16xf32>, tensor<16xi32>)
    %o:2 = "tt.reduce"(%cb, %u) <{axis = 1 : i32}> ({
    ^bb0(%v: i32, %i: i32, %w: i32, %j: i32):
      %lt = arith.cmpi sgt, %w, %v : i32
      %value = arith.select %lt, %v, %w : i32
      %number = arith.select %lt, %i, %j : i32
      tt.reduce.return %value, %number : i32, i32
    }) : (tensor<16x64xi32>, tensor<16x64xi32>) -> (tensor<16xi32>, tensor<16xi32>)
    %vs = tt.splat %values : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %vp = tt.addptr %vs, %rows : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    tt.store %vp, %m#0 : tensor<16x!tt.ptr<f32>>
    %fs = tt.splat %first : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %fp = tt.addptr %fs, %rows : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    tt.store %fp, %m#1 : tensor<16x!tt.ptr<i32>>
    %ls = tt.splat %least : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %lp = tt.addptr %ls, %rows : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    tt.store %lp, %n#1 : tensor<16x!tt.ptr<i32>>
    %os = tt.splat %of : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %op = tt.addptr %os, %rows : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    tt.store %op, %o#1 : tensor<16x!tt.ptr<i32>>
    tt.return
  }
}
