// What one node reads takes more registers than its group has: said before any search.
// RUN: not heddle compile %s --emit=cuda 2>&1 | FileCheck %s
// CHECK: error: infeasible: no schedule: 'mulf_truncf_g0' needs 256 registers a thread for what it reads
// CHECK-SAME: ('dot_g0', 'subf_exp_select_g0') beside 64 that recurrences hold at any time
// CHECK-NOT: limit reached
tile.kernel @state_space_n128(%C: !tile.view<?x?x128xf16> {tile.name = "C", tile.dims = ["B", "S", "N"]},
    %Bm: !tile.view<?x?x128xf16> {tile.name = "Bm", tile.dims = ["B", "S", "N"]},
    %X: !tile.view<?x?x64xf16> {tile.name = "X", tile.dims = ["B", "S", "D"]},
    %Y: !tile.view<?x?x64xf16> {tile.name = "Y", tile.dims = ["B", "S", "D"]},
    %dt: !tile.view<?x?xf32> {tile.name = "dt", tile.dims = ["B", "S"]},
    %A: f32 {tile.name = "A", tile.default = -0.5 : f32})
    attributes {tile.default_dims = {B = 2, S = 384, N = 128, D = 64}} {
  %v1 = arith.constant 0 : index
  %v2 = tile.dim %X, 0 : !tile.view<?x?x64xf16>
  tile.grid %v2
  %v3 = tile.program_id 0
  %v4 = tile.iota : tensor<128xi32>
  %v5 = tile.broadcast %v4 axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %v6 = tile.iota : tensor<128xi32>
  %v7 = tile.broadcast %v6 axis 0 : tensor<128xi32> -> tensor<128x128xi32>
  %v8 = arith.cmpi sge, %v5, %v7 : tensor<128x128xi32>
  %v9 = tile.dim %X, 1 : !tile.view<?x?x64xf16>
  %v10 = arith.constant 128 : index
  %v11 = arith.constant dense<0.0> : tensor<128x64xf32>
  %v12 = scf.for %v13 = %v1 to %v9 step %v10 iter_args(%v14 = %v11) -> (tensor<128x64xf32>) {
    %v15 = tile.load %C[%v3, %v13, %v1] : !tile.view<?x?x128xf16> -> tensor<128x128xf16>
    %v16 = tile.load %Bm[%v3, %v13, %v1] : !tile.view<?x?x128xf16> -> tensor<128x128xf16>
    %v17 = tile.load %X[%v3, %v13, %v1] : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
    %v18 = tile.load %dt[%v3, %v13] : !tile.view<?x?xf32> -> tensor<128xf32>
    %v19 = math.absf %v18 : tensor<128xf32>
    %v20 = tensor.splat %A : tensor<128xf32>
    %v21 = arith.mulf %v19, %v20 : tensor<128xf32>
    %v22 = tile.broadcast %v21 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %v23 = arith.constant dense<0.0> : tensor<128x128xf32>
    %v24 = arith.select %v8, %v22, %v23 : tensor<128x128xi1>, tensor<128x128xf32>
    %v25 = tile.reduce "add" %v24 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v26 = tile.broadcast %v25 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v27 = tile.broadcast %v25 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %v28 = arith.subf %v26, %v27 : tensor<128x128xf32>
    %v29 = math.exp %v28 : tensor<128x128xf32>
    %v30 = arith.constant dense<0.0> : tensor<128x128xf32>
    %v31 = arith.select %v8, %v29, %v30 : tensor<128x128xi1>, tensor<128x128xf32>
    %v32 = tile.transpose %v16 : tensor<128x128xf16> -> tensor<128x128xf16>
    %v33 = arith.constant dense<0.0> : tensor<128x128xf32>
    %v34 = tile.dot %v15, %v32, %v33 : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %v35 = arith.mulf %v34, %v31 : tensor<128x128xf32>
    %v36 = arith.truncf %v35 : tensor<128x128xf32> to tensor<128x128xf16>
    %v37 = arith.truncf %v14 : tensor<128x64xf32> to tensor<128x64xf16>
    %v38 = arith.constant dense<0.0> : tensor<128x64xf32>
    %v39 = tile.dot %v15, %v37, %v38 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %v40 = math.exp %v25 : tensor<128xf32>
    %v41 = tile.broadcast %v40 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %v42 = arith.mulf %v39, %v41 : tensor<128x64xf32>
    %v43 = tile.dot %v36, %v17, %v42 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %v44 = arith.truncf %v43 : tensor<128x64xf32> to tensor<128x64xf16>
    tile.store %v44, %Y[%v3, %v13, %v1] : tensor<128x64xf16>, !tile.view<?x?x64xf16>
    %v45 = tile.reduce "add" %v21 axis 0 : tensor<128xf32> -> tensor<f32>
    %v46 = tile.broadcast %v45 axis 0 : tensor<f32> -> tensor<128xf32>
    %v47 = arith.subf %v46, %v25 : tensor<128xf32>
    %v48 = math.exp %v47 : tensor<128xf32>
    %v49 = arith.extf %v16 : tensor<128x128xf16> to tensor<128x128xf32>
    %v50 = tile.broadcast %v48 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v51 = arith.mulf %v49, %v50 : tensor<128x128xf32>
    %v52 = arith.truncf %v51 : tensor<128x128xf32> to tensor<128x128xf16>
    %v53 = tile.transpose %v52 : tensor<128x128xf16> -> tensor<128x128xf16>
    %v54 = math.exp %v45 : tensor<f32>
    %v55 = tile.broadcast %v54 axis 0 : tensor<f32> -> tensor<128xf32>
    %v56 = tile.broadcast %v55 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %v57 = arith.mulf %v14, %v56 : tensor<128x64xf32>
    %v58 = tile.dot %v53, %v17, %v57 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    scf.yield %v58 : tensor<128x64xf32>
  }
  tile.return
}
