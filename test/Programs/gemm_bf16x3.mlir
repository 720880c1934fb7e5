// float32 operands as three products of bfloat16 parts: in one group of 128 rows, two tiles in flight would take 224 of
// 240 registers for tiles, and spill. What such a kernel takes is counted in its text, so one tile is in flight.
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: heddle run %s --device=sim | FileCheck %s
// PLAN: tiles = 1
// CHECK: verified
tile.kernel @gemm_bf16x3(%A: !tile.view<?x?xf32> {tile.name = "A", tile.dims = ["M", "K"]},
    %B: !tile.view<?x?xf32> {tile.name = "B", tile.dims = ["N", "K"]},
    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 136, K = 200}} {
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 128 : index
  %v3 = arith.constant 128 : index
  %v4 = tile.dim %A, 0 : !tile.view<?x?xf32>
  %v5 = arith.ceildivui %v4, %v2 : index
  %v6 = tile.dim %B, 0 : !tile.view<?x?xf32>
  %v7 = arith.ceildivui %v6, %v3 : index
  tile.grid %v5, %v7
  %v8 = tile.program_id 0
  %v9 = tile.program_id 1
  %v10 = arith.muli %v8, %v2 : index
  %v11 = arith.muli %v9, %v3 : index
  %v12 = tile.dim %A, 1 : !tile.view<?x?xf32>
  %v13 = arith.constant 32 : index
  %v14 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v15 = scf.for %v16 = %v1 to %v12 step %v13 iter_args(%v17 = %v14) -> (tensor<128x128xf32>) {
    %v18 = tile.load %A[%v10, %v16] : !tile.view<?x?xf32> -> tensor<128x32xf32>
    %v19 = tile.load %B[%v11, %v16] : !tile.view<?x?xf32> -> tensor<128x32xf32>
    %v20 = arith.truncf %v18 : tensor<128x32xf32> to tensor<128x32xbf16>
    %v21 = arith.truncf %v19 : tensor<128x32xf32> to tensor<128x32xbf16>
    %v22 = arith.extf %v20 : tensor<128x32xbf16> to tensor<128x32xf32>
    %v23 = arith.subf %v18, %v22 : tensor<128x32xf32>
    %v24 = arith.truncf %v23 : tensor<128x32xf32> to tensor<128x32xbf16>
    %v25 = arith.extf %v21 : tensor<128x32xbf16> to tensor<128x32xf32>
    %v26 = arith.subf %v19, %v25 : tensor<128x32xf32>
    %v27 = arith.truncf %v26 : tensor<128x32xf32> to tensor<128x32xbf16>
    %v28 = tile.transpose %v21 : tensor<128x32xbf16> -> tensor<32x128xbf16>
    %v29 = tile.transpose %v27 : tensor<128x32xbf16> -> tensor<32x128xbf16>
    %v30 = tile.transpose %v21 : tensor<128x32xbf16> -> tensor<32x128xbf16>
    %v31 = tile.dot %v24, %v30, %v17 : tensor<128x32xbf16>, tensor<32x128xbf16>, tensor<128x128xf32>
    %v32 = tile.dot %v20, %v29, %v31 : tensor<128x32xbf16>, tensor<32x128xbf16>, tensor<128x128xf32>
    %v33 = tile.dot %v20, %v28, %v32 : tensor<128x32xbf16>, tensor<32x128xbf16>, tensor<128x128xf32>
    scf.yield %v33 : tensor<128x128xf32>
  }
  tile.store %v15, %C[%v10, %v11] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
