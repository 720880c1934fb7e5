// A maximum of columns cannot be divided over warp groups. A product of 128 x 160 has room in one group beside it, and
// one of 128 x 240 has none, which is said.
// RUN: heddle compile %s --emit=tile | FileCheck %s
// CHECK: groups = 1
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// RUN: sed 's/160/240/g' %s > %t.mlir
// RUN: not heddle compile %t.mlir --emit=tile 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: cannot divide this program over warp groups: it reduces the divided dimension 0 (and one group has no room
// LARGE-SAME: for a product of 30720 elements: use smaller tiles)
tile.kernel @maxima(%A: !tile.view<?x?xf16> {tile.dims = ["M", "K"]}, %B: !tile.view<?x?xf16> {tile.dims = ["K", "N"]},
                    %C: !tile.view<?x?xf32> {tile.dims = ["M", "N"]}, %X: !tile.view<?xf32> {tile.dims = ["N"]})
    attributes {tile.default_dims = {M = 128, N = 160, K = 64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x160xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  %b = tile.load %B[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x160xf16>
  %c = tile.dot %a, %b, %zero : tensor<128x64xf16>, tensor<64x160xf16>, tensor<128x160xf32>
  %x = tile.reduce "max" %c axis 0 : tensor<128x160xf32> -> tensor<160xf32>
  tile.store %c, %C[%c0, %c0] : tensor<128x160xf32>, !tile.view<?x?xf32>
  tile.store %x, %X[%c0] : tensor<160xf32>, !tile.view<?xf32>
  tile.return
}
