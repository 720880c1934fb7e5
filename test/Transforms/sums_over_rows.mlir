// Products that contract rows which the warp groups divide: each group writes its rows to shared memory, and every
// group contracts all of them for its own rows of the sum. One sum has the shared tile as its left operand (read
// transposed), the other as its right one.
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: groups = 2
// TILE-COUNT-8: tile.dot {{.*}} tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
// RUN: heddle compile %s --emit=warp | FileCheck %s --check-prefix=WARP
// WARP: warp.aref "stage0_
// WARP: warp.aref "stage1_
// RUN: heddle verify %s | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=sim --scheduler=random --schedule-seed=5 | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=emulate | FileCheck %s --check-prefix=OK
// OK: verified
tile.kernel @sums(%X: !tile.view<?x128xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                  %W: !tile.view<128x128xf16> {tile.name = "W", tile.dims = ["D", "E"]},
                  %S: !tile.view<128x128xf32> {tile.name = "S", tile.dims = ["E", "D"]},
                  %T: !tile.view<128x128xf32> {tile.name = "T", tile.dims = ["D", "E"]})
    attributes {tile.default_dims = {M = 300}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %X, 0 : !tile.view<?x128xf16>
  tile.grid %c1
  %w = tile.load %W[%c0, %c0] : !tile.view<128x128xf16> -> tensor<128x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %half = arith.constant dense<0.0625> : tensor<128x128xf32>
  %s, %t = scf.for %i = %c0 to %M step %c128 iter_args(%si = %zero, %ti = %zero)
      -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %x = tile.load %X[%i, %c0] : !tile.view<?x128xf16> -> tensor<128x128xf16>
    %y = tile.dot %x, %w, %zero : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %ys = arith.mulf %y, %half : tensor<128x128xf32>
    %yh = arith.truncf %ys : tensor<128x128xf32> to tensor<128x128xf16>
    %yt = tile.transpose %yh : tensor<128x128xf16> -> tensor<128x128xf16>
    %sn = tile.dot %yt, %x, %si : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %xt = tile.transpose %x : tensor<128x128xf16> -> tensor<128x128xf16>
    %tn = tile.dot %xt, %yh, %ti : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %sn, %tn : tensor<128x128xf32>, tensor<128x128xf32>
  }
  tile.store %s, %S[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  tile.store %t, %T[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  tile.return
}
