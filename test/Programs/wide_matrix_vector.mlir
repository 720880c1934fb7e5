// A matrix times a vector, a row a program: the warps that rows do not fill lie along the columns.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @wide_matrix_vector(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "N"]},
    %X: !tile.view<?xf32> {tile.name = "X", tile.dims = ["N"]},
    %Y: !tile.view<?xf32> {tile.name = "Y", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 300, N = 1000}} {
  %v1 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %v2 = arith.constant 1 : index
  %v3 = arith.ceildivui %v1, %v2 : index
  tile.grid %v3
  %v4 = tile.program_id 0
  %v5 = arith.constant 1 : index
  %v6 = arith.muli %v4, %v5 : index
  %v7 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v8 = arith.constant dense<0.0> : tensor<1xf32>
  %v9 = arith.constant 0 : index
  %v10 = arith.constant 8192 : index
  %v12r = scf.for %v11i = %v9 to %v7 step %v10 iter_args(%v12ra0 = %v8) -> (tensor<1xf32>)  {
    %v13 = tile.load %A[%v6, %v11i] : !tile.view<?x?xf16> -> tensor<1x8192xf16>
    %v14 = arith.extf %v13 : tensor<1x8192xf16> to tensor<1x8192xf32>
    %v15 = tile.load %X[%v11i] : !tile.view<?xf32> -> tensor<8192xf32>
    %v16 = tile.broadcast %v15 axis 0 : tensor<8192xf32> -> tensor<1x8192xf32>
    %v17 = arith.mulf %v14, %v16 : tensor<1x8192xf32>
    %v18 = tile.reduce "add" %v17 axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
    %v19 = arith.addf %v12ra0, %v18 : tensor<1xf32>
    scf.yield %v19 : tensor<1xf32>
  }
  tile.store %v12r, %Y[%v6] : tensor<1xf32>, !tile.view<?xf32>
  tile.return
}
