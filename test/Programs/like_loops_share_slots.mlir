// Two loops behind each other that load tiles of the same views, up to the diagonal and on it, share slots: each loop
// has all of them; where the tiles of one are larger, and it does not go on where the other one ends, they do not. The
// number of iterations grows with the first coordinate, so that the longest programs begin first, from a counter.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// CHECK-COUNT-1: warp.aref "XW
// CHECK-NOT: warp.aref "XW
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: persistent = true, tile_source = "counter", descending = [8, 32]
// PLAN-SAME: default: {{[a-z_, ]*}}descending
// RUN: sed '/[r]elu = /,$ {s/64x192xf16/64x64xf16/g; s/128x192xf16/128x64xf16/g; s/192x128xf16/64x128xf16/g; s/%k = %m to %end/%k = %c0 to %m/}' %s > %t.mlir
// RUN: echo '{kernel = {retile = 0}}' > %t.plan
// RUN: heddle compile %t.mlir --plan=%t.plan --emit=warp | FileCheck %s --check-prefix=APART
// APART-COUNT-2: warp.aref "XW{{(_2)?}}"
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s --check-prefix=RIGHT
// RUN: for M in 64 200; do heddle run %s --device=emulate --interleavings=1 --dims M=$M || exit 1; done | FileCheck %s --check-prefix=BOTH
// RUN: heddle run %s --device=emulate --persistent=off --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// BOTH-COUNT-2: {{^}}verified
tile.kernel @ranges(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "M"]},
                    %W: !tile.view<?x?xf16> {tile.name = "W", tile.dims = ["N", "M"]},
                    %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 320, N = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c192 = arith.constant 192 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %W, 0 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %next = arith.addi %pm, %c1 : index
  %end = arith.muli %next, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %before = scf.for %k = %c0 to %m step %c192 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %X[%m, %k] : !tile.view<?x?xf16> -> tensor<64x192xf16>
    %w = tile.load %W[%n, %k] : !tile.view<?x?xf16> -> tensor<128x192xf16>
    %wt = tile.transpose %w : tensor<128x192xf16> -> tensor<192x128xf16>
    %t = tile.dot %x, %wt, %s : tensor<64x192xf16>, tensor<192x128xf16>, tensor<64x128xf32>
    scf.yield %t : tensor<64x128xf32>
  }
  %relu = arith.maximumf %before, %zero : tensor<64x128xf32>
  %sum = scf.for %k = %m to %end step %c192 iter_args(%s = %relu) -> (tensor<64x128xf32>) {
    %x = tile.load %X[%m, %k] : !tile.view<?x?xf16> -> tensor<64x192xf16>
    %w = tile.load %W[%n, %k] : !tile.view<?x?xf16> -> tensor<128x192xf16>
    %wt = tile.transpose %w : tensor<128x192xf16> -> tensor<192x128xf16>
    %d = tile.dot %x, %wt, %s : tensor<64x192xf16>, tensor<192x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %sum, %Y[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32>
  tile.return
}
