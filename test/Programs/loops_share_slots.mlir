// Loops over tiles of different sizes and types, which take more shared memory together than there is: they share it.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// CHECK: warp.aref "AB" {alternatives = array<i64: 2, 2, 1>}
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RUN: for K in 1 120 264; do heddle run %s --device=emulate --interleavings=1 --dims K=$K,L=8,T=1 || exit 1; done | FileCheck %s --check-prefix=ALL
// RIGHT: {{^}}verified
// ALL-COUNT-3: {{^}}verified
tile.kernel @loops_share_slots(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                               %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                               %X: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["M", "K"]},
                               %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["N", "K"]},
                               %P: !tile.view<?x?xf16> {tile.name = "P", tile.dims = ["M", "L"]},
                               %Q: !tile.view<?x?xf16> {tile.name = "Q", tile.dims = ["L", "N"]},
                               %Z: !tile.view<?x?x?xf32> {tile.name = "Z", tile.dims = ["T", "M", "N"]},
                               %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) attributes {tile.default_dims = {M = 72 : i64, N = 136 : i64, K = 200 : i64, L = 160 : i64, T = 3 : i64}} {
  %c0 = arith.constant 64 : index
  %c1 = arith.constant 128 : index
  %c2 = arith.constant dense<0.00000000000000000e+00> : tensor<64x128xf32>
  %c3 = arith.constant 0 : index
  %c4 = arith.constant dense<1.00000000000000000e+00> : tensor<64x128xf32>
  %c5 = arith.constant 1 : index
  %c6 = arith.constant dense<5.00000000000000000e-01> : tensor<64x128xf32>
  %v1 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %B, 0 : !tile.view<?x?xf16>
  %v4 = arith.ceildivui %v3, %c1 : index
  tile.grid %v2, %v4
  %v5 = tile.program_id 0
  %v6 = arith.muli %v5, %c0 : index
  %v7 = tile.program_id 1
  %v8 = arith.muli %v7, %c1 : index
  %v9 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v16 = scf.for %v10 = %c3 to %v9 step %c1 iter_args(%v11 = %c2) -> (tensor<64x128xf32>) {
    %v12 = tile.load %A[%v6, %v10] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %v13 = tile.load %B[%v8, %v10] : !tile.view<?x?xf16> -> tensor<128x128xf16>
    %v14 = tile.transpose %v13 : tensor<128x128xf16> -> tensor<128x128xf16>
    %v15 = tile.dot %v12, %v14, %v11 : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    scf.yield %v15 : tensor<64x128xf32>
  }
  %v17 = tile.dim %X, 1 : !tile.view<?x?xf32>
  %v24 = scf.for %v18 = %c3 to %v17 step %c0 iter_args(%v19 = %v16) -> (tensor<64x128xf32>) {
    %v20 = tile.load %X[%v6, %v18] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %v21 = tile.load %Y[%v8, %v18] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %v22 = tile.transpose %v21 : tensor<128x64xf32> -> tensor<64x128xf32>
    %v23 = tile.dot %v20, %v22, %v19 : tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x128xf32>
    scf.yield %v23 : tensor<64x128xf32>
  }
  %v25 = tile.dim %P, 1 : !tile.view<?x?xf16>
  %v26 = arith.maximumf %v24, %c2 : tensor<64x128xf32>
  %v32 = scf.for %v27 = %c3 to %v25 step %c1 iter_args(%v28 = %v26) -> (tensor<64x128xf32>) {
    %v29 = tile.load %P[%v6, %v27] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %v30 = tile.load %Q[%v27, %v8] : !tile.view<?x?xf16> -> tensor<128x128xf16>
    %v31 = tile.dot %v29, %v30, %v28 : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    scf.yield %v31 : tensor<64x128xf32>
  }
  %v33 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v34 = arith.maximumf %v32, %c4 : tensor<64x128xf32>
  %v41 = scf.for %v35 = %c3 to %v33 step %c1 iter_args(%v36 = %v34) -> (tensor<64x128xf32>) {
    %v37 = tile.load %A[%v6, %v35] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %v38 = tile.load %B[%v8, %v35] : !tile.view<?x?xf16> -> tensor<128x128xf16>
    %v39 = tile.transpose %v38 : tensor<128x128xf16> -> tensor<128x128xf16>
    %v40 = tile.dot %v37, %v39, %v36 : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    scf.yield %v40 : tensor<64x128xf32>
  }
  %v42 = tile.dim %Z, 0 : !tile.view<?x?x?xf32>
  %v48 = scf.for %v43 = %c3 to %v42 step %c5 iter_args(%v44 = %v41) -> (tensor<64x128xf32>) {
    %v45 = arith.mulf %v44, %c6 : tensor<64x128xf32>
    %v46 = tile.load %Z[%v43, %v6, %v8] : !tile.view<?x?x?xf32> -> tensor<64x128xf32>
    %v47 = arith.addf %v45, %v46 : tensor<64x128xf32>
    scf.yield %v47 : tensor<64x128xf32>
  }
  tile.store %v48, %C[%v6, %v8] : tensor<64x128xf32>, !tile.view<?x?xf32>
  tile.return
}

