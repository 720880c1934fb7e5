// Blocks of 88 positions, which no instruction contracts whole: the loop takes blocks that they do. As written, threads
// copy the tiles, with zeros behind, which is warned of; two groups may not divide what they copy along the
// contraction, since a thread holds no part of 48 columns.
// RUN: heddle compile %s -o %t 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS-NOT: warning
// BLOCKS: blocks of loops are not those of the program
// RUN: echo '{kernel = {retile = 0}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan -o %t 2>&1 | FileCheck %s --check-prefix=WARNS
// WARNS: threads copy this tile in the loop, not the copy engine: expected a size that products have, got 88
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=sim --plan=%t.plan 2>/dev/null | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --plan=%t.plan 2>/dev/null | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @odd_blocks(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                        %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                        %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 136, K = 216}} {
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 128 : index
  %v3 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %v4 = arith.ceildivui %v3, %v2 : index
  %v5 = arith.constant 128 : index
  %v6 = tile.dim %B, 0 : !tile.view<?x?xf16>
  %v7 = arith.ceildivui %v6, %v5 : index
  tile.grid %v4, %v7
  %v8 = tile.program_id 0
  %v9 = tile.program_id 1
  %v10 = arith.muli %v8, %v2 : index
  %v11 = arith.muli %v9, %v5 : index
  %v12 = arith.constant 88 : index
  %v13 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v14 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v17 = scf.for %v15 = %v1 to %v13 step %v12 iter_args(%v16 = %v14) -> (tensor<128x128xf32>) {
    %v18 = tile.load %A[%v10, %v15] : !tile.view<?x?xf16> -> tensor<128x88xf16>
    %v19 = tile.load %B[%v11, %v15] : !tile.view<?x?xf16> -> tensor<128x88xf16>
    %v20 = tile.transpose %v19 : tensor<128x88xf16> -> tensor<88x128xf16>
    %v21 = tile.dot %v18, %v20, %v16 : tensor<128x88xf16>, tensor<88x128xf16>, tensor<128x128xf32>
    scf.yield %v21 : tensor<128x128xf32>
  }
  tile.store %v17, %C[%v10, %v11] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
