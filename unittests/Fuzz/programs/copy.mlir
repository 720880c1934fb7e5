tile.kernel @copy(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 96 : i64, N = 80 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c32 : index
  tile.grid %gm
  %p = tile.program_id 0
  %m = arith.muli %p, %c32 : index
  scf.for %n = %c0 to %N step %c32 {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %y = arith.addf %x, %x : tensor<32x32xf16>
    tile.store %y, %Y[%m, %n] : tensor<32x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}
