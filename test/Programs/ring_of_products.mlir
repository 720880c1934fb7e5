// A product of the third iteration before is accumulated into, those of the two before are read beside it: what the
// loop carries on from one variable to another is waited for where it is read, not only where the loop copies it.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @ring(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["S", "D"]},
                  %W: !tile.view<64x64xf16> {tile.name = "W", tile.dims = ["D", "E"]},
                  %Y: !tile.view<?x64xf16> {tile.name = "Y", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 320}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  tile.grid %c1
  %w = tile.load %W[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %S = tile.dim %X, 0 : !tile.view<?x64xf16>
  %a, %b, %c = scf.for %s = %c0 to %S step %c64 iter_args(%third = %zero, %second = %zero, %last = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %x = tile.load %X[%s, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %scaled = arith.mulf %third, %half : tensor<64x64xf32>
    %next = tile.dot %x, %w, %scaled : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %sum = arith.addf %next, %second : tensor<64x64xf32>
    %y = arith.subf %sum, %last : tensor<64x64xf32>
    %h = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %h, %Y[%s, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
    scf.yield %second, %last, %next : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.return
}
