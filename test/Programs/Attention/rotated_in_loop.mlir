// Causal attention whose queries and keys are rotated on the way: x cos + (-x2, x1) sin, with halves put together. The
// product of the scores is a sum over the halves (SplitConcatenations.cpp); it was refused for its registers.
// RUN: heddle run %s --device=sim | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @attention_rotated(%Q: !tile.view<?x?x?x128xbf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xbf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xbf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %O: !tile.view<?x?x?x128xbf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
    %cos: !tile.view<?x128xf32> {tile.name = "cos", tile.dims = ["S", "D"]},
    %sin: !tile.view<?x128xf32> {tile.name = "sin", tile.dims = ["S", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.0088 : f32})
    attributes {tile.default_dims = {B = 1, H = 2, S = 256, T = 256}} {
  %c0 = arith.constant 64 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant dense<0xFF800000> : tensor<64xf32>
  %c3 = arith.constant dense<0.0> : tensor<64xf32>
  %c4 = arith.constant dense<0.0> : tensor<64x128xf32>
  %c5 = arith.constant dense<0.0> : tensor<64x64xf32>
  %c6 = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %v1 = tile.dim %Q, 2 : !tile.view<?x?x?x128xbf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %Q, 1 : !tile.view<?x?x?x128xbf16>
  %v4 = tile.dim %Q, 0 : !tile.view<?x?x?x128xbf16>
  tile.grid %v2, %v3, %v4
  %v5 = tile.program_id 0
  %v6 = tile.program_id 1
  %v7 = tile.program_id 2
  %v8 = arith.muli %v5, %c0 : index
  %v9 = tile.load %Q[%v7, %v6, %v8, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
  %v10 = arith.extf %v9 : tensor<64x128xbf16> to tensor<64x128xf32>
  %v11 = tile.load %cos[%v8, %c1] : !tile.view<?x128xf32> -> tensor<64x128xf32>
  %v12 = tile.load %sin[%v8, %c1] : !tile.view<?x128xf32> -> tensor<64x128xf32>
  %v13 = tensor.extract_slice %v10[0, 0] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
  %v14 = tensor.extract_slice %v10[0, 64] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
  %v15 = arith.mulf %v10, %v11 : tensor<64x128xf32>
  %v16 = arith.negf %v14 : tensor<64x64xf32>
  %v17 = tensor.concat dim(1) %v16, %v13 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  %v18 = arith.mulf %v17, %v12 : tensor<64x128xf32>
  %v19 = arith.addf %v15, %v18 : tensor<64x128xf32>
  %v20 = arith.truncf %v19 : tensor<64x128xf32> to tensor<64x128xbf16>
  %v21 = tile.iota : tensor<64xi32>
  %v22 = arith.index_cast %v8 : index to i32
  %v23 = tensor.splat %v22 : tensor<64xi32>
  %v24 = arith.addi %v21, %v23 : tensor<64xi32>
  %v25 = arith.addi %v8, %c0 : index
  %v26 = arith.minui %v25, %v1 : index
  %v31, %v32, %v33 = scf.for %v27 = %c1 to %v26 step %c0
      iter_args(%v28 = %c2, %v29 = %c3, %v30 = %c4)
      -> (tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>) {
    %v34 = tile.load %K[%v7, %v6, %v27, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %v35 = arith.extf %v34 : tensor<64x128xbf16> to tensor<64x128xf32>
    %v36 = tile.load %cos[%v27, %c1] : !tile.view<?x128xf32> -> tensor<64x128xf32>
    %v37 = tile.load %sin[%v27, %c1] : !tile.view<?x128xf32> -> tensor<64x128xf32>
    %v38 = tensor.extract_slice %v35[0, 0] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
    %v39 = tensor.extract_slice %v35[0, 64] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
    %v40 = arith.mulf %v35, %v36 : tensor<64x128xf32>
    %v41 = arith.negf %v39 : tensor<64x64xf32>
    %v42 = tensor.concat dim(1) %v41, %v38 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
    %v43 = arith.mulf %v42, %v37 : tensor<64x128xf32>
    %v44 = arith.addf %v40, %v43 : tensor<64x128xf32>
    %v45 = arith.truncf %v44 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v46 = tile.load %V[%v7, %v6, %v27, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %v47 = tile.transpose %v45 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v48 = tile.dot %v20, %v47, %c5 : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %v49 = tensor.splat %scale : tensor<64x64xf32>
    %v50 = arith.mulf %v48, %v49 : tensor<64x64xf32>
    %v51 = tile.iota : tensor<64xi32>
    %v52 = arith.index_cast %v27 : index to i32
    %v53 = tensor.splat %v52 : tensor<64xi32>
    %v54 = arith.addi %v51, %v53 : tensor<64xi32>
    %v55 = tile.broadcast %v54 axis 0 : tensor<64xi32> -> tensor<64x64xi32>
    %v56 = tile.broadcast %v24 axis 1 : tensor<64xi32> -> tensor<64x64xi32>
    %v57 = arith.cmpi sle, %v55, %v56 : tensor<64x64xi32>
    %v58 = arith.select %v57, %v50, %c6 : tensor<64x64xi1>, tensor<64x64xf32>
    %v59 = tile.reduce "max" %v58 axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %v60 = arith.maximumf %v28, %v59 : tensor<64xf32>
    %v61 = tile.broadcast %v60 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %v62 = arith.subf %v58, %v61 : tensor<64x64xf32>
    %v63 = math.exp %v62 : tensor<64x64xf32>
    %v64 = arith.subf %v28, %v60 : tensor<64xf32>
    %v65 = math.exp %v64 : tensor<64xf32>
    %v66 = arith.mulf %v29, %v65 : tensor<64xf32>
    %v67 = tile.reduce "add" %v63 axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %v68 = arith.addf %v66, %v67 : tensor<64xf32>
    %v69 = arith.truncf %v63 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v70 = tile.broadcast %v65 axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %v71 = arith.mulf %v30, %v70 : tensor<64x128xf32>
    %v72 = tile.dot %v69, %v46, %v71 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    scf.yield %v60, %v68, %v72 : tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>
  }
  %v73 = tile.broadcast %v32 axis 1 : tensor<64xf32> -> tensor<64x128xf32>
  %v74 = arith.divf %v33, %v73 : tensor<64x128xf32>
  %v75 = arith.truncf %v74 : tensor<64x128xf32> to tensor<64x128xbf16>
  tile.store %v75, %O[%v7, %v6, %v8, %c1] : tensor<64x128xbf16>, !tile.view<?x?x?x128xbf16>
  tile.return
}
