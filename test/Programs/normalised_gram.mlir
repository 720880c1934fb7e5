// Products of the rows of a matrix that its own norm scales: the groups divide the rows, and each sums the squares of
// all of them.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=GROUPS
// GROUPS: groups = 2
tile.kernel @gram(%X: !tile.view<?x128x128xbf16> {tile.name = "X", tile.dims = ["B", "D", "D"]},
                  %Y: !tile.view<?x128x128xf32> {tile.name = "Y", tile.dims = ["B", "D", "D"]})
    attributes {tile.default_dims = {B = 2}} {
  %c0 = arith.constant 0 : index
  %batch = tile.dim %X, 0 : !tile.view<?x128x128xbf16>
  tile.grid %batch
  %p = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tile.load %X[%p, %c0, %c0] {dims = array<i64: 1, 2>} : !tile.view<?x128x128xbf16> -> tensor<128x128xbf16>
  %xf = arith.extf %x : tensor<128x128xbf16> to tensor<128x128xf32>
  %squares = arith.mulf %xf, %xf : tensor<128x128xf32>
  %rows = tile.reduce "add" %squares axis 1 : tensor<128x128xf32> -> tensor<128xf32>
  %all = tile.reduce "add" %rows axis 0 : tensor<128xf32> -> tensor<f32>
  %norm = math.sqrt %all : tensor<f32>
  %norms = tile.broadcast %norm axis 0 : tensor<f32> -> tensor<128xf32>
  %each = tile.broadcast %norms axis 0 : tensor<128xf32> -> tensor<128x128xf32>
  %y = arith.divf %xf, %each : tensor<128x128xf32>
  %yh = arith.truncf %y : tensor<128x128xf32> to tensor<128x128xbf16>
  %yt = tile.transpose %yh : tensor<128x128xbf16> -> tensor<128x128xbf16>
  %g = tile.dot %yh, %yt, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  tile.store %g, %Y[%p, %c0, %c0] {dims = array<i64: 1, 2>} : tensor<128x128xf32>, !tile.view<?x128x128xf32>
  tile.return
}
