// Loops that their author calls independent: one is, the others are not.

// Each run of the inner loop writes where the run before did: what is not independent is the outer loop.
tile.kernel @right(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                   %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]})
    attributes {tile.default_dims = {N = 32}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %N = tile.dim %x, 0 : !tile.view<?xf32>
  tile.grid %c1
  %first = tile.load %y[%c0] : !tile.view<?xf32> -> tensor<8xf32>
  scf.for %turn = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %N step %c8 {
      %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<8xf32>
      %old = tile.load %y[%i] : !tile.view<?xf32> -> tensor<8xf32>
      %sum = arith.addf %t, %old : tensor<8xf32>
      tile.store %sum, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
    } {tile.independent}
  }
  %last = tile.load %y[%c8] : !tile.view<?xf32> -> tensor<8xf32>
  %both = arith.addf %first, %last : tensor<8xf32>
  tile.store %both, %y[%c0] : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}

tile.kernel @wrong(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                   %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]})
    attributes {tile.default_dims = {N = 32}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %N = tile.dim %x, 0 : !tile.view<?xf32>
  tile.grid %c1
  scf.for %i = %c0 to %N step %c4 {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<8xf32>
    tile.store %t, %y[%c4] : tensor<8xf32>, !tile.view<?xf32>
  } {tile.independent}
  tile.return
}

tile.kernel @read(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                  %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]})
    attributes {tile.default_dims = {N = 32}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %N = tile.dim %x, 0 : !tile.view<?xf32>
  tile.grid %c1
  scf.for %i = %c8 to %N step %c8 {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<8xf32>
    %before = arith.subi %i, %c8 : index
    %old = tile.load %y[%before] : !tile.view<?xf32> -> tensor<8xf32>
    %sum = arith.addf %t, %old : tensor<8xf32>
    tile.store %sum, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
  } {tile.independent}
  tile.return
}
