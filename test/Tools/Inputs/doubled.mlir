// A loop whose bound is doubled 48 times, each number read twice.
tile.kernel @doubled(%X: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                      %Y: !tile.view<?xf32> {tile.name = "Y", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 100 : i64, N = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf32>
  %N = tile.dim %X, 1 : !tile.view<?x?xf32>
  %g = arith.ceildivui %M, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %b0 = arith.addi %N, %p : index
  %b1 = arith.addi %b0, %b0 : index
  %b2 = arith.addi %b1, %b1 : index
  %b3 = arith.addi %b2, %b2 : index
  %b4 = arith.addi %b3, %b3 : index
  %b5 = arith.addi %b4, %b4 : index
  %b6 = arith.addi %b5, %b5 : index
  %b7 = arith.addi %b6, %b6 : index
  %b8 = arith.addi %b7, %b7 : index
  %b9 = arith.addi %b8, %b8 : index
  %b10 = arith.addi %b9, %b9 : index
  %b11 = arith.addi %b10, %b10 : index
  %b12 = arith.addi %b11, %b11 : index
  %b13 = arith.addi %b12, %b12 : index
  %b14 = arith.addi %b13, %b13 : index
  %b15 = arith.addi %b14, %b14 : index
  %b16 = arith.addi %b15, %b15 : index
  %b17 = arith.addi %b16, %b16 : index
  %b18 = arith.addi %b17, %b17 : index
  %b19 = arith.addi %b18, %b18 : index
  %b20 = arith.addi %b19, %b19 : index
  %b21 = arith.addi %b20, %b20 : index
  %b22 = arith.addi %b21, %b21 : index
  %b23 = arith.addi %b22, %b22 : index
  %b24 = arith.addi %b23, %b23 : index
  %b25 = arith.addi %b24, %b24 : index
  %b26 = arith.addi %b25, %b25 : index
  %b27 = arith.addi %b26, %b26 : index
  %b28 = arith.addi %b27, %b27 : index
  %b29 = arith.addi %b28, %b28 : index
  %b30 = arith.addi %b29, %b29 : index
  %b31 = arith.addi %b30, %b30 : index
  %b32 = arith.addi %b31, %b31 : index
  %b33 = arith.addi %b32, %b32 : index
  %b34 = arith.addi %b33, %b33 : index
  %b35 = arith.addi %b34, %b34 : index
  %b36 = arith.addi %b35, %b35 : index
  %b37 = arith.addi %b36, %b36 : index
  %b38 = arith.addi %b37, %b37 : index
  %b39 = arith.addi %b38, %b38 : index
  %b40 = arith.addi %b39, %b39 : index
  %b41 = arith.addi %b40, %b40 : index
  %b42 = arith.addi %b41, %b41 : index
  %b43 = arith.addi %b42, %b42 : index
  %b44 = arith.addi %b43, %b43 : index
  %b45 = arith.addi %b44, %b44 : index
  %b46 = arith.addi %b45, %b45 : index
  %b47 = arith.addi %b46, %b46 : index
  %b48 = arith.addi %b47, %b47 : index
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %s = scf.for %k = %c0 to %b48 step %c64 iter_args(%a = %z) -> (tensor<64xf32>) {
    %t = tile.load %X[%m, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %r = tile.reduce "add" %t axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %u = arith.addf %a, %r : tensor<64xf32>
    scf.yield %u : tensor<64xf32>
  }
  tile.store %s, %Y[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
