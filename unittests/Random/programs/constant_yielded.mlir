// A loop that only yields a constant, which takes no time, is no loop to schedule: once an internal error.
module {
  tile.kernel @random_1100346(%arg0: !tile.view<?x?xi16>
      {tile.dims = ["M", "K"], tile.name = "A"},
      %arg1: !tile.view<?x?xbf16> {tile.dims = ["M", "N"], tile.name = "P"},
      %arg2: !tile.view<?x?xf32> {tile.dims = ["M", "N"], tile.name = "Q"})
      attributes {tile.default_dims = {K = 1 : i64, M = 177 : i64, N = 16 : i64}} {
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c48 = arith.constant 48 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<64x8xf32>
    %0 = tile.dim %arg0, 0 : <?x?xi16>
    %1 = arith.ceildivui %0, %c64 : index
    %2 = tile.dim %arg1, 1 : <?x?xbf16>
    %3 = arith.ceildivui %2, %c8 : index
    tile.grid %1, %3 {raster = 2 : i64}
    %4 = tile.program_id 0
    %5 = arith.muli %4, %c64 : index
    %6 = tile.program_id 1
    %7 = arith.muli %6, %c8 : index
    %c0_0 = arith.constant 0 : index
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x8xf32>
    %8 = scf.for %arg3 = %c0 to %c0_0 step %c48 iter_args(%arg4 = %cst_1) -> (tensor<64x8xf32>) {
      scf.yield %cst : tensor<64x8xf32>
    }
    tile.store %8, %arg2[%5, %7] {dims = array<i64: 0, 1>, kind = "add"} : tensor<64x8xf32>, <?x?xf32>
    tile.return
  }
}
