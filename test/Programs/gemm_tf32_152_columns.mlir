// A^T B in tf32, whose right operand threads read turned: its 152 columns are filled up to 160. The copy engine brings
// what lies behind them, which makes columns that nobody keeps; threads copied the tile, in twice the cycles.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// CHECK: initiation interval 640
// CHECK: {{^}}verified
// RIGHT: {{^}}verified
tile.kernel @across(%A: !tile.view<?x?xf32> {tile.name = "A", tile.dims = ["K", "M"]},
                    %B: !tile.view<?x?xf32> {tile.name = "B", tile.dims = ["K", "N"]},
                    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 96 : i64, N = 304 : i64, K = 200 : i64}} {
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 128 : index
  %v3 = tile.dim %C, 0 : !tile.view<?x?xf32>
  %v4 = arith.ceildivui %v3, %v2 : index
  %v5 = arith.constant 152 : index
  %v6 = tile.dim %C, 1 : !tile.view<?x?xf32>
  %v7 = arith.ceildivui %v6, %v5 : index
  tile.grid %v4, %v7
  %v8 = tile.program_id 0
  %v9 = tile.program_id 1
  %v10 = arith.muli %v8, %v2 : index
  %v11 = arith.muli %v9, %v5 : index
  %v12 = arith.constant 32 : index
  %v13 = tile.dim %A, 0 : !tile.view<?x?xf32>
  %v14 = arith.constant dense<0.0> : tensor<128x152xf32>
  %v17 = scf.for %v15 = %v1 to %v13 step %v12 iter_args(%v16 = %v14) -> (tensor<128x152xf32>) {
    %v18 = tile.load %A[%v15, %v10] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %v19 = tile.transpose %v18 : tensor<32x128xf32> -> tensor<128x32xf32>
    %v20 = tile.load %B[%v15, %v11] : !tile.view<?x?xf32> -> tensor<32x152xf32>
    %v21 = tile.dot %v19, %v20, %v16 : tensor<128x32xf32>, tensor<32x152xf32>, tensor<128x152xf32>
    scf.yield %v21 : tensor<128x152xf32>
  }
  tile.store %v17, %C[%v10, %v11] : tensor<128x152xf32>, !tile.view<?x?xf32>
  tile.return
}
