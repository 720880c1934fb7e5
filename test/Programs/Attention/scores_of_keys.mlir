// Scores of keys by queries, folded along their columns, whose transposed weights are a left operand: they are computed
// as queries by keys. As written 64 keys took 1043 cycles, of which 614 remain.
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: tile.dot {{.*}} tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
// TILE: tile.reduce "max" {{.*}} axis 1
// TILE-NOT: tile.reduce {{.*}} axis 0
// TILE: tile.dot {{.*}} tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims=H=1,S=70,T=100 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @transposed_scores(%Q: !tile.view<?x?x64xf16> {tile.name = "Q", tile.dims = ["H", "S", "D"]},
    %K: !tile.view<?x?x64xf16> {tile.name = "K", tile.dims = ["H", "T", "D"]},
    %V: !tile.view<?x?x64xf16> {tile.name = "V", tile.dims = ["H", "T", "D"]},
    %O: !tile.view<?x?x64xf16> {tile.name = "O", tile.dims = ["H", "S", "D"]})
    attributes {tile.default_dims = {H = 2, S = 200, T = 300}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %S = tile.dim %Q, 1 : !tile.view<?x?x64xf16>
  %H = tile.dim %Q, 0 : !tile.view<?x?x64xf16>
  %T = tile.dim %K, 1 : !tile.view<?x?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g, %H
  %p = tile.program_id 0
  %h = tile.program_id 1
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%h, %m, %c0] : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
  %qt = tile.transpose %q : tensor<128x64xf16> -> tensor<64x128xf16>
  %ninf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %ninf2 = arith.constant dense<0xFF800000> : tensor<64x128xf32>
  %z1 = arith.constant dense<0.0> : tensor<128xf32>
  %zs = arith.constant dense<0.0> : tensor<64x128xf32>
  %zo = arith.constant dense<0.0> : tensor<128x64xf32>
  %sc = arith.constant dense<0.18> : tensor<64x128xf32>
  %t32 = arith.index_cast %T : index to i32
  %tt = tensor.splat %t32 : tensor<64xi32>
  %mx, %l, %o = scf.for %j = %c0 to %T step %bn iter_args(%mi = %ninf, %li = %z1, %oi = %zo)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%h, %j, %c0] : !tile.view<?x?x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %k, %qt, %zs : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %x = arith.mulf %s, %sc : tensor<64x128xf32>
    %i = tile.iota : tensor<64xi32>
    %j32 = arith.index_cast %j : index to i32
    %jj = tensor.splat %j32 : tensor<64xi32>
    %pos = arith.addi %i, %jj : tensor<64xi32>
    %in1 = arith.cmpi slt, %pos, %tt : tensor<64xi32>
    %in = tile.broadcast %in1 axis 1 : tensor<64xi1> -> tensor<64x128xi1>
    %xm = arith.select %in, %x, %ninf2 : tensor<64x128xi1>, tensor<64x128xf32>
    %rm = tile.reduce "max" %xm axis 0 : tensor<64x128xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 0 : tensor<128xf32> -> tensor<64x128xf32>
    %d = arith.subf %xm, %mn2 : tensor<64x128xf32>
    %e = math.exp2 %d : tensor<64x128xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %a = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %e axis 0 : tensor<64x128xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %a : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %eh = arith.truncf %e : tensor<64x128xf32> to tensor<64x128xf16>
    %et = tile.transpose %eh : tensor<64x128xf16> -> tensor<128x64xf16>
    %v = tile.load %V[%h, %j, %c0] : !tile.view<?x?x64xf16> -> tensor<64x64xf16>
    %a2 = tile.broadcast %a axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %a2 : tensor<128x64xf32>
    %on = tile.dot %et, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %r = arith.divf %o, %l2 : tensor<128x64xf32>
  %rh = arith.truncf %r : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %rh, %O[%h, %m, %c0] : tensor<128x64xf16>, !tile.view<?x?x64xf16>
  tile.return
}
