// A tile that is converted at each of its uses is converted once; another type, and another block, has its own. A fold
// of a vector that is repeated twice is made once; a product that is said twice is made twice.
// RUN: heddle-opt %s --heddle-merge-equal | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK: %[[H:.*]] = arith.truncf %[[X:.*]] : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK-NOT: arith.truncf %[[X]] : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK: arith.truncf %[[X]] : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK: tile.dot %[[H]], %[[H]]
// CHECK: tile.dot %[[H]], %[[H]]
// CHECK-COUNT-1: tile.reduce
// CHECK-NOT: tile.reduce
// CHECK: scf.for
// CHECK: arith.truncf %[[X]] : tensor<64x64xf32> to tensor<64x64xf16>
tile.kernel @squared(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                     %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]},
                     %Z: !tile.view<?x64xbf16> {tile.name = "Z", tile.dims = ["M", "N"]},
                     %W: !tile.view<?x64xf16> {tile.name = "W", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %X[%c0, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  %a = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
  %b = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
  %z = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xbf16>
  %y = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %again = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %r = tile.reduce "add" %again axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %r2 = tile.reduce "add" %again axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %of = tile.broadcast %r axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %of2 = tile.broadcast %r2 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %sum = arith.addf %of, %of2 : tensor<64x64xf32>
  %both = arith.addf %y, %sum : tensor<64x64xf32>
  tile.store %both, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.store %z, %Z[%c0, %c0] : tensor<64x64xbf16>, !tile.view<?x64xbf16>
  scf.for %i = %c0 to %c1 step %c1 {
    %w = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %w, %W[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  }
  tile.return
}
