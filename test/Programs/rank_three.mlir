// Tiles of three dimensions: each group of channels less its sum.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
tile.kernel @rank3(%X: !tile.view<?x8x64xf16> {tile.name = "X", tile.dims = ["B", "G", "C"]},
                  %Y: !tile.view<?x8x64xf16> {tile.name = "Y", tile.dims = ["B", "G", "C"]})
    attributes {tile.default_dims = {B = 6}} {
  %c0 = arith.constant 0 : index
  %r = arith.constant 4 : index
  %M = tile.dim %X, 0 : !tile.view<?x8x64xf16>
  %g = arith.ceildivui %M, %r : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %r : index
  %x0 = tile.load %X[%m, %c0, %c0] : !tile.view<?x8x64xf16> -> tensor<4x8x64xf16>
  %x = arith.extf %x0 : tensor<4x8x64xf16> to tensor<4x8x64xf32>
  %s = tile.reduce "add" %x axis 2 : tensor<4x8x64xf32> -> tensor<4x8xf32>
  %sb = tile.broadcast %s axis 2 : tensor<4x8xf32> -> tensor<4x8x64xf32>
  %d = arith.subf %x, %sb : tensor<4x8x64xf32>
  %h = arith.truncf %d : tensor<4x8x64xf32> to tensor<4x8x64xf16>
  tile.store %h, %Y[%m, %c0, %c0] : tensor<4x8x64xf16>, !tile.view<?x8x64xf16>
  tile.return
}
