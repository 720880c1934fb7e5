// Doubles a matrix: one program a multiprocessor, each takes every n-th tile of 64 rows.
tile.kernel @doubled(%x: !tile.view<?x128xf32> {tile.name = "x", tile.dims = ["M", "N"]},
                     %y: !tile.view<?x128xf32> {tile.name = "y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 400}} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 64 : index
  %m = tile.dim %x, 0 : !tile.view<?x128xf32>
  %tiles = arith.ceildivui %m, %rows : index
  %two = arith.constant dense<2.0> : tensor<64x128xf32>
  %device = tile.multiprocessors
  %programs = arith.minui %tiles, %device : index
  tile.grid %programs
  %first = tile.program_id 0
  %step = tile.num_programs 0
  scf.for %t = %first to %tiles step %step {
    %i = arith.muli %t, %rows : index
    %a = tile.load %x[%i, %c0] : !tile.view<?x128xf32> -> tensor<64x128xf32>
    %b = arith.mulf %a, %two : tensor<64x128xf32>
    tile.store %b, %y[%i, %c0] : tensor<64x128xf32>, !tile.view<?x128xf32>
  }
  tile.return
}
