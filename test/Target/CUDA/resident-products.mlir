// A product whose loads begin in a column that an argument says, beyond what the copy engine can bring: one group does
// everything, and ptxas alone decides the registers, since it refuses launch bounds that leave too few for a product.
// RUN: echo '{kernel = {blocks = 1}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | FileCheck %s
// CHECK: __launch_bounds__(128, 1)
tile.kernel @g(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
               %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
               %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]},
               %off: index {tile.name = "off", tile.default = 3 : index})
    attributes {tile.default_dims = {M = 72 : i64, N = 80 : i64, K = 136 : i64}} {
  %c0 = arith.constant 64 : index
  %c1 = arith.constant dense<0.00000000000000000e+00> : tensor<64x64xf32>
  %c2 = arith.constant 0 : index
  %v1 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %B, 0 : !tile.view<?x?xf16>
  %v4 = arith.ceildivui %v3, %c0 : index
  tile.grid %v2, %v4
  %v5 = tile.program_id 0
  %v6 = arith.muli %v5, %c0 : index
  %v7 = tile.program_id 1
  %v8 = arith.muli %v7, %c0 : index
  %v9 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v18 = scf.for %v10 = %c2 to %v9 step %c0 iter_args(%v11 = %c1) -> (tensor<64x64xf32>) {
    %v12 = arith.addi %v10, %off : index
    %v13 = tile.load %A[%v6, %v12] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %v14 = arith.addi %v10, %off : index
    %v15 = tile.load %B[%v8, %v14] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %v16 = tile.transpose %v15 : tensor<64x64xf16> -> tensor<64x64xf16>
    %v17 = tile.dot %v13, %v16, %v11 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %v17 : tensor<64x64xf32>
  }
  tile.store %v18, %C[%v6, %v8] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
