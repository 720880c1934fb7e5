// A copy by rows of 64; TYPE stands for the element type.
tile.kernel @copy(%X: !tile.view<?x?xTYPE> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?x?xTYPE> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 4, N = 64}} {
  %m = tile.dim %X, 0 : !tile.view<?x?xTYPE>
  %c0 = arith.constant 0 : index
  tile.grid %m
  %p = tile.program_id 0
  %x = tile.load %X[%p, %c0] : !tile.view<?x?xTYPE> -> tensor<1x64xTYPE>
  tile.store %x, %Y[%p, %c0] : tensor<1x64xTYPE>, !tile.view<?x?xTYPE>
  tile.return
}
