// A step of the delta rule (linear attention): chains of small products. The first steps of the search find a schedule
// more than a quarter above the bound; then it has twice the steps.
// RUN: heddle schedule %s --no-cache | FileCheck %s
// CHECK: loop 0, {{.*}}: interval {{1[0-9][0-9][0-9]|20[0-9][0-9]}} cycles, {{.*}}, 2 stages
tile.kernel @delta_rule(%Q: !tile.view<?x?x64xbf16> {tile.name = "Q", tile.dims = ["B", "S", "D"]},
    %K: !tile.view<?x?x64xbf16> {tile.name = "K", tile.dims = ["B", "S", "D"]},
    %V: !tile.view<?x?x64xbf16> {tile.name = "V", tile.dims = ["B", "S", "D"]},
    %O: !tile.view<?x?x64xbf16> {tile.name = "O", tile.dims = ["B", "S", "D"]},
    %beta: !tile.view<?x?xf32> {tile.name = "beta", tile.dims = ["B", "S"]})
    attributes {tile.default_dims = {B = 2, S = 256, D = 64}} {
  %v1 = arith.constant 0 : index
  %v2 = tile.dim %Q, 0 : !tile.view<?x?x64xbf16>
  tile.grid %v2
  %v3 = tile.program_id 0
  %v4 = tile.iota : tensor<64xi32>
  %v5 = tile.broadcast %v4 axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %v6 = tile.iota : tensor<64xi32>
  %v7 = tile.broadcast %v6 axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %v8 = arith.cmpi sgt, %v5, %v7 : tensor<64x64xi32>
  %v9 = arith.cmpi sge, %v5, %v7 : tensor<64x64xi32>
  %v10 = arith.cmpi eq, %v5, %v7 : tensor<64x64xi32>
  %v11 = arith.constant dense<1.0> : tensor<64x64xf32>
  %v12 = arith.constant dense<0.0> : tensor<64x64xf32>
  %v13 = arith.select %v10, %v11, %v12 : tensor<64x64xi1>, tensor<64x64xf32>
  %v14 = tile.dim %Q, 1 : !tile.view<?x?x64xbf16>
  %v15 = arith.constant 64 : index
  %v16 = arith.constant dense<0.0> : tensor<64x64xf32>
  %v17 = scf.for %v18 = %v1 to %v14 step %v15 iter_args(%v19 = %v16) -> (tensor<64x64xf32>) {
    %v20 = tile.load %Q[%v3, %v18, %v1] : !tile.view<?x?x64xbf16> -> tensor<64x64xbf16>
    %v21 = tile.load %K[%v3, %v18, %v1] : !tile.view<?x?x64xbf16> -> tensor<64x64xbf16>
    %v22 = tile.load %V[%v3, %v18, %v1] : !tile.view<?x?x64xbf16> -> tensor<64x64xbf16>
    %v23 = tile.load %beta[%v3, %v18] : !tile.view<?x?xf32> -> tensor<64xf32>
    %v24 = arith.constant dense<0.05> : tensor<64xf32>
    %v25 = arith.mulf %v23, %v24 : tensor<64xf32>
    %v26 = arith.extf %v21 : tensor<64x64xbf16> to tensor<64x64xf32>
    %v27 = tile.broadcast %v25 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %v28 = arith.mulf %v26, %v27 : tensor<64x64xf32>
    %v29 = arith.truncf %v28 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v30 = tile.transpose %v21 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v31 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v32 = tile.dot %v29, %v30, %v31 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v33 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v34 = arith.select %v8, %v32, %v33 : tensor<64x64xi1>, tensor<64x64xf32>
    %v35 = arith.negf %v34 : tensor<64x64xf32>
    %v36 = arith.addf %v13, %v35 : tensor<64x64xf32>
    %v37 = arith.truncf %v35 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v38 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v39 = tile.dot %v37, %v37, %v38 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v40 = arith.truncf %v39 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v41 = arith.truncf %v36 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v42 = tile.dot %v40, %v41, %v36 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v43 = arith.truncf %v39 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v44 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v45 = tile.dot %v43, %v43, %v44 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v46 = arith.truncf %v45 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v47 = arith.truncf %v42 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v48 = tile.dot %v46, %v47, %v42 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v49 = arith.truncf %v45 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v50 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v51 = tile.dot %v49, %v49, %v50 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v52 = arith.truncf %v51 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v53 = arith.truncf %v48 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v54 = tile.dot %v52, %v53, %v48 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v55 = arith.truncf %v19 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v56 = arith.extf %v22 : tensor<64x64xbf16> to tensor<64x64xf32>
    %v57 = tile.broadcast %v25 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %v58 = arith.mulf %v56, %v57 : tensor<64x64xf32>
    %v59 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v60 = tile.dot %v29, %v55, %v59 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v61 = arith.subf %v58, %v60 : tensor<64x64xf32>
    %v62 = arith.truncf %v54 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v63 = arith.truncf %v61 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v64 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v65 = tile.dot %v62, %v63, %v64 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v66 = arith.truncf %v65 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v67 = tile.transpose %v21 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v68 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v69 = tile.dot %v20, %v67, %v68 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v70 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v71 = arith.select %v9, %v69, %v70 : tensor<64x64xi1>, tensor<64x64xf32>
    %v72 = arith.truncf %v71 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v73 = arith.constant dense<0.0> : tensor<64x64xf32>
    %v74 = tile.dot %v20, %v55, %v73 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v75 = tile.dot %v72, %v66, %v74 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v76 = arith.truncf %v75 : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %v76, %O[%v3, %v18, %v1] : tensor<64x64xbf16>, !tile.view<?x?x64xbf16>
    %v77 = tile.transpose %v21 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v78 = tile.dot %v77, %v66, %v19 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %v78 : tensor<64x64xf32>
  }
  tile.return
}
