// Programs that ask for their coordinates inside of a loop, as generated ones do, and become persistent.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle run %s --device=sim --split-k=2 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @gemm_coordinates(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 264, K = 208}} {
  %v1 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %v2 = arith.constant 128 : index
  %v3 = arith.ceildivui %v1, %v2 : index
  %v4 = tile.dim %B, 0 : !tile.view<?x?xf16>
  %v5 = arith.constant 128 : index
  %v6 = arith.ceildivui %v4, %v5 : index
  tile.grid %v3, %v6
  %v7 = tile.program_id 0
  %v8 = arith.constant 128 : index
  %v9 = arith.muli %v7, %v8 : index
  %v10 = tile.program_id 1
  %v11 = arith.constant 128 : index
  %v12 = arith.muli %v10, %v11 : index
  %v13 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v14 = arith.constant 0 : index
  %v15 = arith.cmpi ugt, %v13, %v14 : index
  %v16 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v17 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v18 = arith.constant 0 : index
  %v19 = arith.constant 64 : index
  %v21r = scf.for %v20i = %v18 to %v17 step %v19 iter_args(%v21ra0 = %v16) -> (tensor<128x128xf32>)  {
    %v22 = tile.program_id 1
    %v23 = arith.constant 128 : index
    %v24 = arith.muli %v22, %v23 : index
    %v25 = tile.load %A[%v9, %v20i] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %v26 = tile.load %B[%v24, %v20i] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %v27 = tile.transpose %v26 : tensor<128x64xf16> -> tensor<64x128xf16>
    %v28 = tile.dot %v25, %v27, %v21ra0 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %v28 : tensor<128x128xf32>
  }
  %v29 = arith.truncf %v21r : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %v29, %C[%v9, %v12] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
