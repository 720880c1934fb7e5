// The gradient of attention with capped scores by keys and values: dS = P (dP - delta) (1 - t^2), as it is written in
// books. What does not wait for dP is multiplied first (OrderFactors.cpp): with heads of 128 it was refused for its
// registers.
// RUN: heddle run %s --device=sim | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @gradient_capped(%Q: !tile.view<?x?x?x64xbf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x64xbf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x64xbf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %dO: !tile.view<?x?x?x64xbf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
    %dK: !tile.view<?x?x?x64xbf16> {tile.name = "dK", tile.dims = ["B", "H", "T", "D"]},
    %dV: !tile.view<?x?x?x64xbf16> {tile.name = "dV", tile.dims = ["B", "H", "T", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.088 : f32},
    %cap: f32 {tile.name = "cap", tile.default = 30.0 : f32})
    attributes {tile.default_dims = {B = 1, H = 1, S = 128, T = 128}} {
  %c0 = arith.constant 64 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant dense<0.0> : tensor<64x64xf32>
  %c3 = arith.constant 64 : index
  %c4 = arith.constant dense<0.0> : tensor<64x64xf32>
  %c5 = arith.constant dense<1.0> : tensor<64x64xf32>
  %v1 = tile.dim %K, 2 : !tile.view<?x?x?x64xbf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %Q, 1 : !tile.view<?x?x?x64xbf16>
  %v4 = tile.dim %Q, 0 : !tile.view<?x?x?x64xbf16>
  tile.grid %v2, %v3, %v4
  %v5 = tile.program_id 0
  %v6 = tile.program_id 1
  %v7 = tile.program_id 2
  %v8 = arith.muli %v5, %c0 : index
  %v9 = tile.load %K[%v7, %v6, %v8, %c1] : !tile.view<?x?x?x64xbf16> -> tensor<64x64xbf16>
  %v10 = tile.load %V[%v7, %v6, %v8, %c1] : !tile.view<?x?x?x64xbf16> -> tensor<64x64xbf16>
  %v11 = tile.dim %Q, 2 : !tile.view<?x?x?x64xbf16>
  %v15, %v16 = scf.for %v12 = %c1 to %v11 step %c3
      iter_args(%v13 = %c2, %v14 = %c2)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %v17 = tile.load %Q[%v7, %v6, %v12, %c1] : !tile.view<?x?x?x64xbf16> -> tensor<64x64xbf16>
    %v18 = tile.load %dO[%v7, %v6, %v12, %c1] : !tile.view<?x?x?x64xbf16> -> tensor<64x64xbf16>
    %v19 = tile.load %LSE[%v7, %v6, %v12] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %v20 = tile.load %Delta[%v7, %v6, %v12] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %v21 = tile.transpose %v9 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v22 = tile.dot %v17, %v21, %c4 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v23 = tensor.splat %scale : tensor<64x64xf32>
    %v24 = arith.mulf %v22, %v23 : tensor<64x64xf32>
    %v25 = tensor.splat %cap : tensor<64x64xf32>
    %v26 = arith.divf %v24, %v25 : tensor<64x64xf32>
    %v27 = math.tanh %v26 : tensor<64x64xf32>
    %v28 = tensor.splat %cap : tensor<64x64xf32>
    %v29 = arith.mulf %v27, %v28 : tensor<64x64xf32>
    %v30 = tile.broadcast %v19 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %v31 = arith.subf %v29, %v30 : tensor<64x64xf32>
    %v32 = math.exp %v31 : tensor<64x64xf32>
    %v33 = arith.truncf %v32 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v34 = tile.transpose %v33 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v35 = tile.dot %v34, %v18, %v14 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v36 = tile.transpose %v10 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v37 = tile.dot %v18, %v36, %c4 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %v38 = tile.broadcast %v20 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %v39 = arith.subf %v37, %v38 : tensor<64x64xf32>
    %v40 = arith.mulf %v32, %v39 : tensor<64x64xf32>
    %v41 = arith.mulf %v27, %v27 : tensor<64x64xf32>
    %v42 = arith.negf %v41 : tensor<64x64xf32>
    %v43 = arith.addf %v42, %c5 : tensor<64x64xf32>
    %v44 = arith.mulf %v40, %v43 : tensor<64x64xf32>
    %v45 = arith.truncf %v44 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v46 = tile.transpose %v45 : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %v47 = tile.dot %v46, %v17, %v13 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %v47, %v35 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %v48 = tensor.splat %scale : tensor<64x64xf32>
  %v49 = arith.mulf %v15, %v48 : tensor<64x64xf32>
  %v50 = arith.truncf %v49 : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %v50, %dK[%v7, %v6, %v8, %c1] : tensor<64x64xbf16>, !tile.view<?x?x?x64xbf16>
  %v51 = arith.truncf %v16 : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %v51, %dV[%v7, %v6, %v8, %c1] : tensor<64x64xbf16>, !tile.view<?x?x?x64xbf16>
  tile.return
}
