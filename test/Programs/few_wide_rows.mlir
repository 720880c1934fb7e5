// Sums of squares of rows by tiles of four wide rows, which the copy engine does not take.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
tile.kernel @k(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?xf32> {tile.name = "Y", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 11, N = 776}} {
  %c0 = arith.constant 0 : index
  %c = arith.constant 256 : index
  %r = arith.constant 4 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %r : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %r : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %s = scf.for %j = %c0 to %N step %c iter_args(%a = %z) -> (tensor<4xf32>) {
    %x0 = tile.load %X[%m, %j] : !tile.view<?x?xf16> -> tensor<4x256xf16>
    %x = arith.extf %x0 : tensor<4x256xf16> to tensor<4x256xf32>
    %xx = arith.mulf %x, %x : tensor<4x256xf32>
    %q = tile.reduce "add" %xx axis 1 : tensor<4x256xf32> -> tensor<4xf32>
    %n = arith.addf %a, %q : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  tile.store %s, %Y[%m] : tensor<4xf32>, !tile.view<?xf32>
  tile.return
}
