// A dimension of extent one in front of one that is no power of two moves nothing.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @unit(%X: !tile.view<8x96xf32> {tile.name = "X"}, %Y: !tile.view<8x96xf32> {tile.name = "Y"}) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0, %c0] : !tile.view<8x96xf32> -> tensor<8x96xf32>
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 1, 96] : tensor<8x96xf32> into tensor<8x1x96xf32>
  %y = arith.addf %e, %e : tensor<8x1x96xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2]] : tensor<8x1x96xf32> into tensor<8x96xf32>
  tile.store %c, %Y[%c0, %c0] : tensor<8x96xf32>, !tile.view<8x96xf32>
  tile.return
}
