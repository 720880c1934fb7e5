// Rows of tokens times the weights of their block's expert; blocks behind the last one have no work.
tile.kernel @guarded(%X: !tile.view<?x?xbf16> {tile.name = "X", tile.dims = ["Tk", "K"]},
                     %W: !tile.view<?x?x?xbf16> {tile.name = "W", tile.dims = ["E", "N", "K"]},
                     %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["P"]},
                     %last: !tile.view<?xi32> {tile.name = "last", tile.dims = ["E"]},
                     %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["P", "N"]})
    attributes {tile.default_dims = {Tk = 64, E = 2, N = 200, K = 136, P = 600}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %few = arith.constant dense<31> : tensor<128xi32>
  %P = tile.dim %Y, 0 : !tile.view<?x?xf32>
  %N = tile.dim %Y, 1 : !tile.view<?x?xf32>
  %g0 = arith.ceildivui %P, %c128 : index
  %g1 = arith.ceildivui %N, %c128 : index
  tile.grid %g0, %g1
  %p = tile.program_id 0
  %q = tile.program_id 1
  %m = arith.muli %p, %c128 : index
  %n = arith.muli %q, %c128 : index
  %some = arith.constant 300 : i32
  %read = tile.element %last[%c0] : !tile.view<?xi32> -> i32
  %least = arith.minsi %read, %some : i32
  %end = arith.index_cast %least : i32 to index
  %works = arith.cmpi slt, %m, %end : index
  scf.if %works {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %loaded = tile.load %ids[%m] : !tile.view<?xi32> -> tensor<128xi32>
    %rows = arith.andi %loaded, %few : tensor<128xi32>
    %K = tile.dim %X, 1 : !tile.view<?x?xbf16>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.gather %X[%c0, %k] rows %rows : !tile.view<?x?xbf16>, tensor<128xi32> -> tensor<128x64xbf16>
      %w = tile.load %W[%c0, %n, %k] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
      %wt = tile.transpose %w : tensor<128x64xbf16> -> tensor<64x128xbf16>
      %d = tile.dot %x, %wt, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %Y[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
