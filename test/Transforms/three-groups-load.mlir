// Three groups that load for themselves issue their products as they come: one that waited for its place would keep
// the others from a tile that it copies behind it.
// RUN: heddle run %s --warp-specialize=false --device=sim | FileCheck %s
// RUN: heddle run %s --warp-specialize=false --device=emulate --interleavings=2 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @mlp(%X: !tile.view<?x128xf16> {tile.name = "X", tile.dims = ["M", "D"]},
      %W1: !tile.view<?x128xf16> {tile.name = "W1", tile.dims = ["H", "D"]},
      %W2: !tile.view<128x?xf16> {tile.name = "W2", tile.dims = ["O", "H"]},
      %b1: !tile.view<?xf32> {tile.name = "b1", tile.dims = ["H"]}, %Y: !tile.view<?x128xf32> {tile.name = "Y",
      tile.dims = ["M", "O"]})
  attributes {tile.default_dims = {M = 200 : i64, H = 300 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 192 : index
  %bh = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x128xf16>
  %H = tile.dim %W1, 0 : !tile.view<?x128xf16>
  %gm = arith.ceildivui %M, %bm : index
  tile.grid %gm
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x128xf16> -> tensor<192x128xf16>
  %zero = arith.constant dense<0.0> : tensor<192x128xf32>
  %z64 = arith.constant dense<0.0> : tensor<192x64xf32>
  %acc = scf.for %h = %c0 to %H step %bh iter_args(%y = %zero) -> (tensor<192x128xf32>) {
    %w1 = tile.load %W1[%h, %c0] : !tile.view<?x128xf16> -> tensor<64x128xf16>
    %w1t = tile.transpose %w1 : tensor<64x128xf16> -> tensor<128x64xf16>
    %b = tile.load %b1[%h] : !tile.view<?xf32> -> tensor<64xf32>
    %bb = tile.broadcast %b axis 0 : tensor<64xf32> -> tensor<192x64xf32>
    %t = tile.dot %x, %w1t, %z64 : tensor<192x128xf16>, tensor<128x64xf16>, tensor<192x64xf32>
    %tb = arith.addf %t, %bb : tensor<192x64xf32>
    %r = arith.maximumf %tb, %z64 : tensor<192x64xf32>
    %rb = arith.truncf %r : tensor<192x64xf32> to tensor<192x64xf16>
    %w2 = tile.load %W2[%c0, %h] : !tile.view<128x?xf16> -> tensor<128x64xf16>
    %w2t = tile.transpose %w2 : tensor<128x64xf16> -> tensor<64x128xf16>
    %yn = tile.dot %rb, %w2t, %y : tensor<192x64xf16>, tensor<64x128xf16>, tensor<192x128xf32>
    scf.yield %yn : tensor<192x128xf32>
  }
  tile.store %acc, %Y[%m, %c0] : tensor<192x128xf32>, !tile.view<?x128xf32>
  tile.return
}
