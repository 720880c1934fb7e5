// The first index of the largest number of each row, by comparisons and a minimum.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
tile.kernel @argmax(%X: !tile.view<?x512xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?xi32> {tile.name = "Y", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 40}} {
  %c0 = arith.constant 0 : index
  %r = arith.constant 16 : index
  %M = tile.dim %X, 0 : !tile.view<?x512xf32>
  %g = arith.ceildivui %M, %r : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %r : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x512xf32> -> tensor<16x512xf32>
  %mx = tile.reduce "max" %x axis 1 : tensor<16x512xf32> -> tensor<16xf32>
  %mb = tile.broadcast %mx axis 1 : tensor<16xf32> -> tensor<16x512xf32>
  %eq = arith.cmpf oeq, %x, %mb : tensor<16x512xf32>
  %i = tile.iota : tensor<512xi32>
  %ib = tile.broadcast %i axis 0 : tensor<512xi32> -> tensor<16x512xi32>
  %big = arith.constant dense<2147483647> : tensor<16x512xi32>
  %s = arith.select %eq, %ib, %big : tensor<16x512xi1>, tensor<16x512xi32>
  %a = tile.reduce "min" %s axis 1 : tensor<16x512xi32> -> tensor<16xi32>
  tile.store %a, %Y[%m] : tensor<16xi32>, !tile.view<?xi32>
  tile.return
}
