// One group lacks registers for the states; two have a schedule, but not in the form that is tried first.
// REQUIRES: tool-heddle
// RUN: heddle compile %s --emit=plan | FileCheck %s
// CHECK: groups = 2
tile.kernel @delta_rule(%Q: !tile.view<?x?x128xbf16> {tile.name = "Q", tile.dims = ["BH", "L", "Q2"]},
    %K: !tile.view<?x?x128xbf16> {tile.name = "K", tile.dims = ["BH", "L", "K2"]},
    %V: !tile.view<?x?x128xbf16> {tile.name = "V", tile.dims = ["BH", "L", "V2"]},
    %Tm: !tile.view<?x?x64xbf16> {tile.name = "Tm", tile.dims = ["BH", "L", "Tm2"]},
    %beta: !tile.view<?x?xf32> {tile.name = "beta", tile.dims = ["BH", "L"]},
    %O: !tile.view<?x?x128xbf16> {tile.name = "O", tile.dims = ["BH", "L", "O2"]})
    attributes {tile.default_dims = {BH = 1 : i64, L = 70 : i64}} {
  %v1 = tile.dim %Q, 0 : !tile.view<?x?x128xbf16>
  tile.grid %v1
  %v2 = tile.program_id 0
  %v3 = tile.iota : tensor<64xi32>
  %v4 = tile.broadcast %v3 axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %v5 = tile.broadcast %v3 axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %v6 = arith.cmpi sge, %v4, %v5 : tensor<64x64xi32>
  %v7 = tile.dim %Q, 1 : !tile.view<?x?x128xbf16>
  %v8 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v9 = arith.constant 0 : index
  %v10 = arith.constant 64 : index
  %v13 = scf.for %v11 = %v9 to %v7 step %v10 iter_args(%v12 = %v8) -> (tensor<128x128xf32>) {
    %v14 = arith.constant 0 : index
    %v15 = tile.load %Q[%v2, %v11, %v14] : !tile.view<?x?x128xbf16> -> tensor<64x128xbf16>
    %v16 = arith.constant 0 : index
    %v17 = tile.load %K[%v2, %v11, %v16] : !tile.view<?x?x128xbf16> -> tensor<64x128xbf16>
    %v18 = arith.constant 0 : index
    %v19 = tile.load %V[%v2, %v11, %v18] : !tile.view<?x?x128xbf16> -> tensor<64x128xbf16>
    %v20 = arith.constant 0 : index
    %v21 = tile.load %Tm[%v2, %v11, %v20] : !tile.view<?x?x64xbf16> -> tensor<64x64xbf16>
    %v22 = tile.load %beta[%v2, %v11] : !tile.view<?x?xf32> -> tensor<64xf32>
    %v23 = arith.extf %v19 : tensor<64x128xbf16> to tensor<64x128xf32>
    %v24 = tile.broadcast %v22 axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %v25 = arith.mulf %v23, %v24 : tensor<64x128xf32>
    %v26 = arith.truncf %v25 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v27 = arith.constant dense<0.0> : tensor<64x128xf32>
    %v28 = tile.dot %v21, %v26, %v27 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %v29 = arith.extf %v17 : tensor<64x128xbf16> to tensor<64x128xf32>
    %v30 = tile.broadcast %v22 axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %v31 = arith.mulf %v29, %v30 : tensor<64x128xf32>
    %v32 = arith.truncf %v31 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v33 = arith.constant dense<0.0> : tensor<64x128xf32>
    %v34 = tile.dot %v21, %v32, %v33 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %v35 = arith.truncf %v12 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v36 = arith.truncf %v34 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v37 = arith.constant dense<0.0> : tensor<64x128xf32>
    %v38 = tile.dot %v36, %v35, %v37 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    %v39 = arith.subf %v28, %v38 : tensor<64x128xf32>
    %v40 = arith.truncf %v39 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v41 = tile.transpose %v17 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v42 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v43 = tile.dot %v15, %v41, %v42 : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %v44 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v45 = arith.select %v6, %v43, %v44 : tensor<64x64xi1>, tensor<64x64xf32>
    %v46 = arith.truncf %v45 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v47 = arith.constant dense<0.0> : tensor<64x128xf32>
    %v48 = tile.dot %v15, %v35, %v47 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    %v49 = tile.dot %v46, %v40, %v48 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %v50 = arith.truncf %v49 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v51 = arith.constant 0 : index
    tile.store %v50, %O[%v2, %v11, %v51] : tensor<64x128xbf16>, !tile.view<?x?x128xbf16>
    %v52 = tile.transpose %v17 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v53 = tile.dot %v52, %v40, %v12 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %v53 : tensor<128x128xf32>
  }
  tile.return
}
