// A tile that is converted at each of its uses is converted once; another type, and another block, has its own.
// RUN: heddle-opt %s --heddle-merge-conversions | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK: %[[H:.*]] = arith.truncf %[[X:.*]] : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK-NOT: arith.truncf %[[X]] : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK: arith.truncf %[[X]] : tensor<64x64xf32> to tensor<64x64xbf16>
// CHECK: tile.dot %[[H]], %[[H]]
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
  tile.store %y, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.store %z, %Z[%c0, %c0] : tensor<64x64xbf16>, !tile.view<?x64xbf16>
  scf.for %i = %c0 to %c1 step %c1 {
    %w = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %w, %W[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  }
  tile.return
}
