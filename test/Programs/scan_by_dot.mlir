// Prefix sums of rows by a product with a triangle that the program makes.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
tile.kernel @scan(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 100}} {
  %c0 = arith.constant 0 : index
  %r = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %M, %r : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %r : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %i = tile.iota : tensor<64xi32>
  %a = tile.broadcast %i axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %b = tile.broadcast %i axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %c = arith.cmpi sle, %a, %b : tensor<64x64xi32>
  %t = arith.uitofp %c : tensor<64x64xi1> to tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tile.dot %x, %t, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %y, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
