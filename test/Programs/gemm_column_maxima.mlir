// A product and the largest of each column: rows cannot be divided over warp groups, so one group computes all.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --tiles-in-flight=1 --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: // Warp group 1: compute0
// CUDA-NOT: compute1
tile.kernel @g_colmax(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
    %cs: !tile.view<?x?xf32> {tile.name = "cs", tile.dims = ["G", "N"]})
    attributes {tile.default_dims = {M = 200, N = 264, K = 200, G = 2}} {
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 128 : index
  %v3 = arith.constant 128 : index
  %v4 = arith.constant 64 : index
  %v5 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %v6 = tile.dim %B, 0 : !tile.view<?x?xf16>
  %v7 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v8 = arith.ceildivui %v5, %v2 : index
  %v9 = arith.ceildivui %v6, %v3 : index
  tile.grid %v8, %v9
  %v10 = tile.program_id 0
  %v11 = tile.program_id 1
  %v12 = arith.muli %v10, %v2 : index
  %v13 = arith.muli %v11, %v3 : index
  %v14 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v15 = scf.for %v16 = %v1 to %v7 step %v4 iter_args(%v17 = %v14) -> (tensor<128x128xf32>) {
    %v18 = tile.load %A[%v12, %v16] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %v19 = tile.load %B[%v13, %v16] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %v20 = tile.transpose %v19 : tensor<128x64xf16> -> tensor<64x128xf16>
    %v21 = tile.dot %v18, %v20, %v17 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %v21 : tensor<128x128xf32>
  }
  %v22 = tile.reduce "max" %v15 axis 0 : tensor<128x128xf32> -> tensor<128xf32>
  tile.store %v22, %cs[%v10, %v13] {dims = array<i64: 1>} : tensor<128xf32>, !tile.view<?x?xf32>
  %v23 = arith.truncf %v15 : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %v23, %C[%v12, %v13] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
