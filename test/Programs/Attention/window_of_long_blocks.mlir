// Attention over the last 256 keys in blocks of 256 that begin with the first key that a tile of queries sees. Every
// query sees a key of the first block, and none of its first half, so that the program need not expect a maximum of
// -inf; where blocks are cut to 128 positions the compiler does.
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: retile = 128
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims=S=390 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @attention_window_of_long_blocks(%Q: !tile.view<?x?x64xf16> {tile.name = "Q", tile.dims = ["H", "S", "D"]},
    %K: !tile.view<?x?x64xf16> {tile.name = "K", tile.dims = ["H", "S", "D"]},
    %V: !tile.view<?x?x64xf16> {tile.name = "V", tile.dims = ["H", "S", "D"]},
    %O: !tile.view<?x?x64xf16> {tile.name = "O", tile.dims = ["H", "S", "D"]})
    attributes {tile.default_dims = {H = 1, S = 512}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %w = arith.constant 256 : index
  %S = tile.dim %Q, 1 : !tile.view<?x?x64xf16>
  %H = tile.dim %Q, 0 : !tile.view<?x?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g, %H
  %p = tile.program_id 0
  %h = tile.program_id 1
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%h, %m, %c0] : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
  %ninf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %ninf2 = arith.constant dense<0xFF800000> : tensor<128x256xf32>
  %z1 = arith.constant dense<0.0> : tensor<128xf32>
  %zs = arith.constant dense<0.0> : tensor<128x256xf32>
  %zo = arith.constant dense<0.0> : tensor<128x64xf32>
  %before = arith.minui %m, %w : index
  %from = arith.subi %m, %before : index
  %e0 = arith.addi %m, %bm : index
  %end = arith.minui %e0, %S : index
  %i = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m : index to i32
  %ms = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %i, %ms : tensor<128xi32>
  %ww = arith.constant dense<256> : tensor<128xi32>
  %old = arith.subi %row, %ww : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x256xi32>
  %old2 = tile.broadcast %old axis 1 : tensor<128xi32> -> tensor<128x256xi32>
  %mx, %l, %o = scf.for %j = %from to %end step %bn iter_args(%mi = %ninf, %li = %z1, %oi = %zo)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%h, %j, %c0] : !tile.view<?x?x64xf16> -> tensor<256x64xf16>
    %kt = tile.transpose %k : tensor<256x64xf16> -> tensor<64x256xf16>
    %s = tile.dot %q, %kt, %zs : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    %ci = tile.iota : tensor<256xi32>
    %j32 = arith.index_cast %j : index to i32
    %jj = tensor.splat %j32 : tensor<256xi32>
    %pos = arith.addi %ci, %jj : tensor<256xi32>
    %pos2 = tile.broadcast %pos axis 0 : tensor<256xi32> -> tensor<128x256xi32>
    %past = arith.cmpi sle, %pos2, %row2 : tensor<128x256xi32>
    %near = arith.cmpi sgt, %pos2, %old2 : tensor<128x256xi32>
    %in = arith.andi %past, %near : tensor<128x256xi1>
    %xm = arith.select %in, %s, %ninf2 : tensor<128x256xi1>, tensor<128x256xf32>
    %rm = tile.reduce "max" %xm axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x256xf32>
    %d = arith.subf %xm, %mn2 : tensor<128x256xf32>
    %e = math.exp2 %d : tensor<128x256xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %a = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %e axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %a : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %eh = arith.truncf %e : tensor<128x256xf32> to tensor<128x256xf16>
    %v = tile.load %V[%h, %j, %c0] : !tile.view<?x?x64xf16> -> tensor<256x64xf16>
    %a2 = tile.broadcast %a axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %a2 : tensor<128x64xf32>
    %on = tile.dot %eh, %v, %oa : tensor<128x256xf16>, tensor<256x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %r = arith.divf %o, %l2 : tensor<128x64xf32>
  %rh = arith.truncf %r : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %rh, %O[%h, %m, %c0] : tensor<128x64xf16>, !tile.view<?x?x64xf16>
  tile.return
}
