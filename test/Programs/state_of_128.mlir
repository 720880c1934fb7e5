// Linear attention in chunks of 64 rows with a state of 128 x 128: what a chunk adds accumulates onto what the state
// gives, in the registers of one product.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// Two groups, which divide columns, are done sooner than one alone, though both compute the scores.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=GROUPS
// GROUPS: Warp groups 1, 2: compute0, compute1
tile.kernel @linear_attention(%Q: !tile.view<?x?x128xf16> {tile.name = "Q", tile.dims = ["H", "S", "D"]},
                              %K: !tile.view<?x?x128xf16> {tile.name = "K", tile.dims = ["H", "S", "D"]},
                              %V: !tile.view<?x?x128xf16> {tile.name = "V", tile.dims = ["H", "S", "E"]},
                              %O: !tile.view<?x?x128xf16> {tile.name = "O", tile.dims = ["H", "S", "E"]})
    attributes {tile.default_dims = {H = 2, S = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %H = tile.dim %Q, 0 : !tile.view<?x?x128xf16>
  %S = tile.dim %Q, 1 : !tile.view<?x?x128xf16>
  tile.grid %H
  %h = tile.program_id 0
  %state0 = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %nothing = arith.constant dense<0.0> : tensor<64x128xf32>
  %scale = arith.constant dense<0.125> : tensor<64x128xf32>
  %i = tile.iota : tensor<64xi32>
  %rows = tile.broadcast %i axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %i axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %seen = arith.cmpi sle, %columns, %rows : tensor<64x64xi32>
  %last = scf.for %t = %c0 to %S step %c64 iter_args(%state = %state0) -> (tensor<128x128xf32>) {
    %q = tile.load %Q[%h, %t, %c0] {dims = array<i64: 1, 2>} : !tile.view<?x?x128xf16> -> tensor<64x128xf16>
    %k = tile.load %K[%h, %t, %c0] {dims = array<i64: 1, 2>} : !tile.view<?x?x128xf16> -> tensor<64x128xf16>
    %v = tile.load %V[%h, %t, %c0] {dims = array<i64: 1, 2>} : !tile.view<?x?x128xf16> -> tensor<64x128xf16>
    %kt = tile.transpose %k : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %q, %kt, %none : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %masked = arith.select %seen, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    %p = arith.truncf %masked : tensor<64x64xf32> to tensor<64x64xf16>
    %inside = tile.dot %p, %v, %nothing : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %half = arith.truncf %state : tensor<128x128xf32> to tensor<128x128xf16>
    %before = tile.dot %q, %half, %nothing : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    %scaled = arith.mulf %before, %scale : tensor<64x128xf32>
    %o = arith.addf %inside, %scaled : tensor<64x128xf32>
    %oh = arith.truncf %o : tensor<64x128xf32> to tensor<64x128xf16>
    tile.store %oh, %O[%h, %t, %c0] {dims = array<i64: 1, 2>} : tensor<64x128xf16>, !tile.view<?x?x128xf16>
    %next = tile.dot %kt, %v, %state : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.return
}
