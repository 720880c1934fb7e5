tile.kernel @rows(%X: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                  %S: !tile.view<?xf32> {tile.name = "S", tile.dims = ["M"]}, %n0: i32 {tile.name = "n0",
                      tile.default = 3 : i32})
    attributes {tile.default_dims = {M = 64 : i64, N = 48 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf32>
  %N = tile.dim %X, 1 : !tile.view<?x?xf32>
  %gm = arith.ceildivsi %M, %c64 : index
  tile.grid %gm
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %low = arith.constant dense<0xFF800000> : tensor<64xf32>
  %columns = tile.iota : tensor<16xi32>
  %best = scf.for %n = %c0 to %N step %c16 iter_args(%so_far = %low) -> (tensor<64xf32>) {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<64x16xf32>
    %start = arith.index_cast %n : index to i32
    %starts = tensor.splat %start : tensor<16xi32>
    %at = arith.addi %columns, %starts : tensor<16xi32>
    %limit = tensor.splat %n0 : tensor<16xi32>
    %in = arith.cmpi sge, %at, %limit : tensor<16xi32>
    %wide = tile.broadcast %in axis 0 : tensor<16xi1> -> tensor<64x16xi1>
    %minus = arith.constant dense<-1.0e4> : tensor<64x16xf32>
    %kept = arith.select %wide, %x, %minus : tensor<64x16xi1>, tensor<64x16xf32>
    %e = math.exp2 %kept : tensor<64x16xf32>
    %row = tile.reduce "max" %e axis 1 : tensor<64x16xf32> -> tensor<64xf32>
    %next = arith.maximumf %so_far, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tile.store %best, %S[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
