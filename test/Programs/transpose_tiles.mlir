// A transpose by tiles of 64 x 64, with tails in both dimensions.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// Rows of 64 numbers of 16 bits lie 132 bytes apart where threads exchange them.
// CUDA: __global__
// CUDA: lane >> 3)) * 132
tile.kernel @transpose_tiles(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                    %Y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["N", "M"]})
    attributes {tile.default_dims = {M = 136, N = 72}} {
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  %rows = arith.constant 64 : index
  %columns = arith.constant 64 : index
  %gm = arith.ceildivui %M, %rows : index
  %gn = arith.ceildivui %N, %columns : index
  tile.grid %gn, %gm
  %pn = tile.program_id 0
  %pm = tile.program_id 1
  %m = arith.muli %pm, %rows : index
  %n = arith.muli %pn, %columns : index
  %x = tile.load %X[%m, %n] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %y = tile.transpose %x : tensor<64x64xf16> -> tensor<64x64xf16>
  tile.store %y, %Y[%n, %m] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
