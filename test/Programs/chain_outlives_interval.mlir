// Chunks of a linear attention: a product that the next one accumulates into is still read when the next iteration
// begins its own, so that two are alive, and the loop copies between their registers what it has waited for.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
!v = !tile.view<?x?x64xf16>
tile.kernel @linear_attention(%Q: !v {tile.name = "Q", tile.dims = ["H", "S", "D"]},
                              %K: !v {tile.name = "K", tile.dims = ["H", "S", "D"]},
                              %V: !v {tile.name = "V", tile.dims = ["H", "S", "E"]},
                              %O: !v {tile.name = "O", tile.dims = ["H", "S", "E"]})
    attributes {tile.default_dims = {H = 2, S = 256}} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %H = tile.dim %Q, 0 : !v
  %S = tile.dim %Q, 1 : !v
  tile.grid %H
  %h = tile.program_id 0
  %i = tile.iota : tensor<64xi32>
  %row = tile.broadcast %i axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %column = tile.broadcast %i axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %seen = arith.cmpi sge, %row, %column : tensor<64x64xi32>
  %last = scf.for %at = %c0 to %S step %c64 iter_args(%state = %zero) -> (tensor<64x64xf32>) {
    %q = tile.load %Q[%h, %at, %c0] : !v -> tensor<64x64xf16>
    %k = tile.load %K[%h, %at, %c0] : !v -> tensor<64x64xf16>
    %v = tile.load %V[%h, %at, %c0] : !v -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %masked = arith.select %seen, %s, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %p = arith.truncf %masked : tensor<64x64xf32> to tensor<64x64xf16>
    %before = arith.truncf %state : tensor<64x64xf32> to tensor<64x64xf16>
    %old = tile.dot %q, %before, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %o = tile.dot %p, %v, %old : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %oh = arith.truncf %o : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %oh, %O[%h, %at, %c0] : tensor<64x64xf16>, !v
    %next = tile.dot %kt, %v, %state : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.return
}
