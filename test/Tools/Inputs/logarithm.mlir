// The logarithm of normal random numbers: half of the results are NaN.
tile.kernel @logarithm(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                       %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  %g = arith.ceildivui %M, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  %y = math.log %x : tensor<64x64xf32>
  tile.store %y, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
