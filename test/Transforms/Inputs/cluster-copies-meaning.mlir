// What cluster-copies.mlir means.
!view = !tile.view<?x64xf16>
tile.kernel @copies(%X: !view {tile.name = "X", tile.dims = ["M", "D"]},
                    %Y: !view {tile.name = "Y", tile.dims = ["M2", "D"]})
    attributes {tile.default_dims = {M = 256 : i64, M2 = 512 : i64}} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !view
  %tiles = arith.ceildivui %M, %c64 : index
  %blocks = arith.muli %tiles, %c2 : index
  tile.grid %blocks
  %p = tile.program_id 0
  %i = arith.divui %p, %c2 : index
  %from = arith.muli %i, %c64 : index
  %to = arith.muli %p, %c64 : index
  %t = tile.load %X[%from, %c0] : !view -> tensor<64x64xf16>
  tile.store %t, %Y[%to, %c0] : tensor<64x64xf16>, !view
  tile.return
}
