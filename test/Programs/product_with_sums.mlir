// A product stored twice, once transposed, and sums of its columns: what warps exchange is known only after rings have
// their slots, and stores then get one buffer.
// RUN: heddle run %s --device=sim --dims M=200,N=150,K=64 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims M=200,N=150,K=64 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @stats(%A: !tile.view<?x?xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xbf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["M", "N"]},
                   %CT: !tile.view<?x?xbf16> {tile.name = "CT", tile.dims = ["N", "M"]},
                   %CS: !tile.view<?xf32> {tile.name = "CS", tile.dims = ["N"]})
    attributes {tile.default_dims = {M = 200, N = 150, K = 64}} {
  %c0 = arith.constant 192 : index
  %c1 = arith.constant 128 : index
  %c2 = arith.constant dense<0.00000000000000000e+00> : tensor<192x128xf32>
  %c3 = arith.constant 0 : index
  %c4 = arith.constant 64 : index
  %v1 = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %v4 = arith.ceildivui %v3, %c1 : index
  tile.grid %v2, %v4
  %v5 = tile.program_id 0
  %v6 = arith.muli %v5, %c0 : index
  %v7 = tile.program_id 1
  %v8 = arith.muli %v7, %c1 : index
  %v9 = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %v16 = scf.for %v10 = %c3 to %v9 step %c4 iter_args(%v11 = %c2) -> (tensor<192x128xf32>) {
    %v12 = tile.load %A[%v6, %v10] : !tile.view<?x?xbf16> -> tensor<192x64xbf16>
    %v13 = tile.load %B[%v8, %v10] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %v14 = tile.transpose %v13 : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %v15 = tile.dot %v12, %v14, %v11 : tensor<192x64xbf16>, tensor<64x128xbf16>, tensor<192x128xf32>
    scf.yield %v15 : tensor<192x128xf32>
  }
  %v17 = tile.reduce "add" %v16 axis 0 : tensor<192x128xf32> -> tensor<128xf32>
  tile.store %v17, %CS[%v8] {kind = "add"} : tensor<128xf32>, !tile.view<?xf32>
  %v18 = arith.truncf %v16 : tensor<192x128xf32> to tensor<192x128xbf16>
  %v19 = tile.transpose %v18 : tensor<192x128xbf16> -> tensor<128x192xbf16>
  tile.store %v19, %CT[%v8, %v6] : tensor<128x192xbf16>, !tile.view<?x?xbf16>
  %v20 = arith.truncf %v16 : tensor<192x128xf32> to tensor<192x128xbf16>
  tile.store %v20, %C[%v6, %v8] : tensor<192x128xbf16>, !tile.view<?x?xbf16>
  tile.return
}
