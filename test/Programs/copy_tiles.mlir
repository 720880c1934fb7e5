// A copy by tiles of 16 x 512, with tails in both dimensions.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
tile.kernel @copy_tiles(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                    %Y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 40, N = 1000}} {
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  %rows = arith.constant 16 : index
  %columns = arith.constant 512 : index
  %gm = arith.ceildivui %M, %rows : index
  %gn = arith.ceildivui %N, %columns : index
  tile.grid %gn, %gm
  %pn = tile.program_id 0
  %pm = tile.program_id 1
  %m = arith.muli %pm, %rows : index
  %n = arith.muli %pn, %columns : index
  %y = tile.load %X[%m, %n] : !tile.view<?x?xf16> -> tensor<16x512xf16>
  tile.store %y, %Y[%m, %n] : tensor<16x512xf16>, !tile.view<?x?xf16>
  tile.return
}
