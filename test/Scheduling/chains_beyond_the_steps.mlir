// With chains of element-wise operations as nodes the search spends its steps and finds nothing; with a node for each
// operation there is a schedule.
// RUN: heddle run %s --device=sim | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @row_sums(%a: !tile.view<?x?xf16> {tile.name = "a", tile.dims = ["M", "K"]},
                   %x: !tile.view<?x?xf16> {tile.name = "x", tile.dims = ["M", "N"]},
                   %v: !tile.view<?xf32> {tile.name = "v", tile.dims = ["N"]},
                   %w: !tile.view<?xf32> {tile.name = "w", tile.dims = ["M"]},
                   %it: !tile.view<?x?xi32> {tile.name = "it", tile.dims = ["M", "N"]},
                   %b: !tile.view<?x?xf16> {tile.name = "b", tile.dims = ["K", "N"]},
                   %o0: !tile.view<?x?xf32> {tile.name = "o0", tile.dims = ["GN", "M"]},
                   %o1: !tile.view<?x?xbf16> {tile.name = "o1", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 192, N = 96, K = 128, GN = 1}} {
  %c0 = arith.constant 192 : index
  %c1 = arith.constant 96 : index
  %c2 = arith.constant dense<0.00000000000000000e+00> : tensor<192x96xf32>
  %c3 = arith.constant dense<0.00000000000000000e+00> : tensor<192xf32>
  %c4 = arith.constant 0 : index
  %c5 = arith.constant 64 : index
  %c6 = arith.constant dense<5.00000000000000000e-01> : tensor<192xf32>
  %c7 = arith.constant dense<1.00000000000000002e-03> : tensor<192x96xf32>
  %c8 = arith.constant dense<2.50000000000000000e-01> : tensor<192x96xf32>
  %v1 = tile.dim %x, 0 : !tile.view<?x?xf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %x, 1 : !tile.view<?x?xf16>
  %v4 = arith.ceildivui %v3, %c1 : index
  tile.grid %v2, %v4
  %v5 = tile.program_id 0
  %v6 = arith.muli %v5, %c0 : index
  %v7 = tile.program_id 1
  %v8 = arith.muli %v7, %c1 : index
  %v9 = tile.dim %a, 1 : !tile.view<?x?xf16>
  %v21, %v22 = scf.for %v10 = %c4 to %v9 step %c5 iter_args(%v11 = %c2, %v12 = %c3)
      -> (tensor<192x96xf32>, tensor<192xf32>) {
    %v13 = tile.load %a[%v6, %v10] : !tile.view<?x?xf16> -> tensor<192x64xf16>
    %v14 = tile.load %b[%v10, %v8] : !tile.view<?x?xf16> -> tensor<64x96xf16>
    %v15 = tile.dot %v13, %v14, %v11 : tensor<192x64xf16>, tensor<64x96xf16>, tensor<192x96xf32>
    %v16 = arith.mulf %v12, %c6 : tensor<192xf32>
    %v17 = tile.load %a[%v6, %v10] : !tile.view<?x?xf16> -> tensor<192x64xf16>
    %v18 = arith.extf %v17 : tensor<192x64xf16> to tensor<192x64xf32>
    %v19 = tile.reduce "add" %v18 axis 1 : tensor<192x64xf32> -> tensor<192xf32>
    %v20 = arith.addf %v16, %v19 : tensor<192xf32>
    scf.yield %v15, %v20 : tensor<192x96xf32>, tensor<192xf32>
  }
  %v23 = tile.program_id 1
  tile.store %v22, %o0[%v23, %v6] {dims = array<i64: 1>} : tensor<192xf32>, !tile.view<?x?xf32>
  %v24 = tile.load %it[%v6, %v8] : !tile.view<?x?xi32> -> tensor<192x96xi32>
  %v25 = arith.sitofp %v24 : tensor<192x96xi32> to tensor<192x96xf32>
  %v26 = arith.mulf %v25, %c7 : tensor<192x96xf32>
  %v27 = arith.addf %v21, %v26 : tensor<192x96xf32>
  %v28 = tile.load %w[%v6] : !tile.view<?xf32> -> tensor<192xf32>
  %v29 = tile.broadcast %v28 axis 1 : tensor<192xf32> -> tensor<192x96xf32>
  %v30 = arith.mulf %v27, %v29 : tensor<192x96xf32>
  %v31 = arith.cmpf ogt, %v30, %c8 : tensor<192x96xf32>
  %v32 = arith.subf %c2, %v30 : tensor<192x96xf32>
  %v33 = arith.select %v31, %v30, %v32 : tensor<192x96xi1>, tensor<192x96xf32>
  %v34 = arith.truncf %v33 : tensor<192x96xf32> to tensor<192x96xbf16>
  tile.store %v34, %o1[%v6, %v8] : tensor<192x96xbf16>, !tile.view<?x?xbf16>
  tile.return
}
