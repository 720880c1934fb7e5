// The gradient of attention with capped scores and a bias that grows with the distance, in blocks of 128 x 128 that
// take too many registers: the loop takes 64 queries at a time. What a negative slope makes of queries behind the last
// one may be infinite, so that none may be left out or added: the loop ends where the last block of 128 ends.
// RUN: heddle compile %s --emit=plan > %t.plan
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.plan
// PLAN: retile = 64, narrow = true
// RUN: heddle run %s --plan=%t.plan --device=sim --input=slopes="uniform(0.01,0.5)" --dims=S=129 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @gradient_biased(
    %Q: !tile.view<?x?x?x64xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x64xf16> {tile.name = "K", tile.dims = ["B", "H", "S", "D"]},
    %V: !tile.view<?x?x?x64xf16> {tile.name = "V", tile.dims = ["B", "H", "S", "D"]},
    %dO: !tile.view<?x?x?x64xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
    %slopes: !tile.view<?xf32> {tile.name = "slopes", tile.dims = ["H"]},
    %dQ: !tile.view<?x?x?x64xf32> {tile.name = "dQ", tile.dims = ["B", "H", "S", "D"]},
    %dK: !tile.view<?x?x?x64xf16> {tile.name = "dK", tile.dims = ["B", "H", "S", "D"]},
    %dV: !tile.view<?x?x?x64xf16> {tile.name = "dV", tile.dims = ["B", "H", "S", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 1.25000000e-01 : f32})
    attributes {tile.default_dims = {B = 1, H = 1, S = 200}} {
  %c0 = arith.constant 128 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant dense<0.00000000e+00> : tensor<128x64xf32>
  %c3 = arith.constant dense<0.00000000e+00> : tensor<128x128xf32>
  %c4 = arith.constant 3.33333333e-02 : f32
  %c5 = arith.constant dense<4.32808512e+01> : tensor<128x128xf32>
  %c6 = arith.constant 1.44269504e+00 : f32
  %c7 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %c8 = arith.constant dense<1.44269504e+00> : tensor<128xf32>
  %c9 = arith.constant dense<1.00000000e+00> : tensor<128x128xf32>
  %v1 = tile.dim %Q, 0 : !tile.view<?x?x?x64xf16>
  %v2 = tile.dim %Q, 1 : !tile.view<?x?x?x64xf16>
  %v3 = tile.dim %Q, 2 : !tile.view<?x?x?x64xf16>
  %v4 = tile.dim %K, 2 : !tile.view<?x?x?x64xf16>
  %v5 = arith.ceildivui %v4, %c0 : index
  %v6 = tile.dim %K, 1 : !tile.view<?x?x?x64xf16>
  tile.grid %v5, %v6, %v1
  %v7 = tile.program_id 0
  %v8 = tile.program_id 1
  %v9 = tile.program_id 2
  %v10 = arith.muli %v7, %c0 : index
  %v11 = tile.load %K[%v9, %v8, %v10, %c1] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
  %v12 = tile.load %V[%v9, %v8, %v10, %c1] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
  %v13 = tile.iota : tensor<128xi32>
  %v14 = arith.index_cast %v10 : index to i32
  %v15 = tensor.splat %v14 : tensor<128xi32>
  %v16 = arith.addi %v13, %v15 : tensor<128xi32>
  %v17 = arith.divui %v10, %c0 : index
  %v18 = arith.muli %v17, %c0 : index
  %v22, %v23 = scf.for %v19 = %v18 to %v3 step %c0 iter_args(%v20 = %c2, %v21 = %c2)
      -> (tensor<128x64xf32>, tensor<128x64xf32>) {
    %v24 = tile.load %Q[%v9, %v8, %v19, %c1] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    %v25 = tile.load %dO[%v9, %v8, %v19, %c1] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    %v26 = tile.iota : tensor<128xi32>
    %v27 = arith.index_cast %v19 : index to i32
    %v28 = tensor.splat %v27 : tensor<128xi32>
    %v29 = arith.addi %v26, %v28 : tensor<128xi32>
    %v30 = tile.load %LSE[%v9, %v8, %v19] : !tile.view<?x?x?xf32> -> tensor<128xf32>
    %v31 = tile.load %Delta[%v9, %v8, %v19] : !tile.view<?x?x?xf32> -> tensor<128xf32>
    %v32 = tile.transpose %v24 : tensor<128x64xf16> -> tensor<64x128xf16>
    %v33 = tile.dot %v11, %v32, %c3 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %v34 = tile.transpose %v25 : tensor<128x64xf16> -> tensor<64x128xf16>
    %v35 = tile.dot %v12, %v34, %c3 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %v36 = arith.mulf %scale, %c4 : f32
    %v37 = tensor.splat %v36 : tensor<128x128xf32>
    %v38 = arith.mulf %v33, %v37 : tensor<128x128xf32>
    %v39 = math.tanh %v38 : tensor<128x128xf32>
    %v40 = arith.mulf %v39, %c5 : tensor<128x128xf32>
    %v41 = tile.broadcast %v16 axis 1 : tensor<128xi32> -> tensor<128x128xi32>
    %v42 = tile.broadcast %v29 axis 0 : tensor<128xi32> -> tensor<128x128xi32>
    %v43 = arith.subi %v41, %v42 : tensor<128x128xi32>
    %v44 = arith.sitofp %v43 : tensor<128x128xi32> to tensor<128x128xf32>
    %v45 = tile.element %slopes[%v8] : !tile.view<?xf32> -> f32
    %v46 = arith.mulf %v45, %c6 : f32
    %v47 = tensor.splat %v46 : tensor<128x128xf32>
    %v48 = arith.mulf %v44, %v47 : tensor<128x128xf32>
    %v49 = arith.addf %v40, %v48 : tensor<128x128xf32>
    %v50 = tile.broadcast %v16 axis 1 : tensor<128xi32> -> tensor<128x128xi32>
    %v51 = tile.broadcast %v29 axis 0 : tensor<128xi32> -> tensor<128x128xi32>
    %v52 = arith.cmpi sle, %v50, %v51 : tensor<128x128xi32>
    %v53 = arith.select %v52, %v49, %c7 : tensor<128x128xi1>, tensor<128x128xf32>
    %v54 = arith.mulf %v30, %c8 : tensor<128xf32>
    %v55 = tile.broadcast %v54 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %v56 = arith.subf %v53, %v55 : tensor<128x128xf32>
    %v57 = math.exp2 %v56 : tensor<128x128xf32>
    %v58 = tile.broadcast %v31 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %v59 = arith.subf %v35, %v58 : tensor<128x128xf32>
    %v60 = arith.mulf %v57, %v59 : tensor<128x128xf32>
    %v61 = arith.mulf %v39, %v39 : tensor<128x128xf32>
    %v62 = arith.subf %c9, %v61 : tensor<128x128xf32>
    %v63 = arith.mulf %v60, %v62 : tensor<128x128xf32>
    %v64 = arith.truncf %v63 : tensor<128x128xf32> to tensor<128x128xf16>
    %v65 = arith.truncf %v57 : tensor<128x128xf32> to tensor<128x128xf16>
    %v66 = tile.dot %v65, %v25, %v21 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %v67 = tile.transpose %v64 : tensor<128x128xf16> -> tensor<128x128xf16>
    %v68 = tile.dot %v67, %v11, %c2 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %v69 = tensor.splat %scale : tensor<128x64xf32>
    %v70 = arith.mulf %v68, %v69 : tensor<128x64xf32>
    tile.store %v70, %dQ[%v9, %v8, %v19, %c1] {kind = "add"} : tensor<128x64xf32>, !tile.view<?x?x?x64xf32>
    %v71 = tile.dot %v64, %v24, %v20 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    scf.yield %v71, %v66 : tensor<128x64xf32>, tensor<128x64xf32>
  }
  %v72 = tensor.splat %scale : tensor<128x64xf32>
  %v73 = arith.mulf %v22, %v72 : tensor<128x64xf32>
  %v74 = arith.truncf %v73 : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %v74, %dK[%v9, %v8, %v10, %c1] : tensor<128x64xf16>, !tile.view<?x?x?x64xf16>
  %v75 = arith.truncf %v23 : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %v75, %dV[%v9, %v8, %v10, %c1] : tensor<128x64xf16>, !tile.view<?x?x?x64xf16>
  tile.return
}
