// Quotients of integers; the last tile reaches beyond the views.
tile.kernel @quotient(%x: !tile.view<?xi32> {tile.name = "x", tile.dims = ["N"]},
                      %z: !tile.view<?xi32> {tile.name = "z", tile.dims = ["N"]},
                      %y: !tile.view<?xi32> {tile.name = "y", tile.dims = ["N"]})
    attributes {tile.default_dims = {N = 100}} {
  %c64 = arith.constant 64 : index
  %n = tile.dim %x, 0 : !tile.view<?xi32>
  %g = arith.ceildivui %n, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %i = arith.muli %p, %c64 : index
  %a = tile.load %x[%i] : !tile.view<?xi32> -> tensor<64xi32>
  %b = tile.load %z[%i] : !tile.view<?xi32> -> tensor<64xi32>
  %q = arith.divsi %a, %b : tensor<64xi32>
  tile.store %q, %y[%i] : tensor<64xi32>, !tile.view<?xi32>
  tile.return
}
