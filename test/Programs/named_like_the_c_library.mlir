// A kernel may have the name of a function of the C library that CUDA does not declare.
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @step(%X: !tile.view<8x64xf32> {tile.name = "X"}, %Y: !tile.view<8x64xf32> {tile.name = "Y"}) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0, %c0] : !tile.view<8x64xf32> -> tensor<8x64xf32>
  %y = arith.addf %x, %x : tensor<8x64xf32>
  tile.store %y, %Y[%c0, %c0] : tensor<8x64xf32>, !tile.view<8x64xf32>
  tile.return
}
