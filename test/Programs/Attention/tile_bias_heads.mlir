// Attention with a tile of biases of 16 bits: where it is unpacked beside products, element-wise operations of its loop
// run slice by slice. By default 24 registers are left free, so that they wait for both products (mayGainFromRoom).
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=ROOM
// ROOM: spare = 24, {{.*}} // default: {{.*}}spare
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: echo '{kernel = {spare = 0}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: #pragma unroll 1
// CUDA-NEXT: for (int it
// CUDA: for (int slice = 0; slice < 4; ++slice) {
// CUDA: hd::unpackLo<hd::f16>
tile.kernel @attention_tile_bias(%Q: !tile.view<?x?x?x96xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                              %K: !tile.view<?x?x?x96xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                              %V: !tile.view<?x?x?x96xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "DV"]},
                              %O: !tile.view<?x?x?x96xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "DV"]},
                              %Bias: !tile.view<?x?x?xf16> {tile.name = "Bias", tile.dims = ["H", "S", "T"]},
                              %scale_log2: f32 {tile.name = "scale_log2", tile.default = 1.27500000000000002e-01 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 1 : i64, S = 100 : i64, T = 200 : i64}} {
  %c0 = arith.constant 128 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant dense<-1.00000000000000002e+30> : tensor<128xf32>
  %c3 = arith.constant dense<0.00000000000000000e+00> : tensor<128xf32>
  %c4 = arith.constant dense<0.00000000000000000e+00> : tensor<128x96xf32>
  %c5 = arith.constant dense<0.00000000000000000e+00> : tensor<128x128xf32>
  %c6 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %v1 = tile.dim %Q, 2 : !tile.view<?x?x?x96xf16>
  %v2 = tile.dim %K, 2 : !tile.view<?x?x?x96xf16>
  %v3 = arith.ceildivui %v1, %c0 : index
  %v4 = tile.dim %Q, 1 : !tile.view<?x?x?x96xf16>
  %v5 = tile.dim %Q, 0 : !tile.view<?x?x?x96xf16>
  tile.grid %v3, %v4, %v5
  %v6 = tile.program_id 0
  %v7 = arith.muli %v6, %c0 : index
  %v8 = tile.program_id 1
  %v9 = tile.program_id 2
  %v10 = tile.load %Q[%v9, %v8, %v7, %c1] : !tile.view<?x?x?x96xf16> -> tensor<128x96xf16>
  %v11 = tile.iota : tensor<128xi32>
  %v12 = arith.index_cast %v7 : index to i32
  %v13 = tensor.splat %v12 : tensor<128xi32>
  %v14 = arith.addi %v11, %v13 : tensor<128xi32>
  %v51, %v52, %v53 = scf.for %v15 = %c1 to %v2 step %c0
      iter_args(%v16 = %c2, %v17 = %c3, %v18 = %c4) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x96xf32>) {
    %v19 = tile.load %K[%v9, %v8, %v15, %c1] : !tile.view<?x?x?x96xf16> -> tensor<128x96xf16>
    %v20 = tile.transpose %v19 : tensor<128x96xf16> -> tensor<96x128xf16>
    %v21 = tile.dot %v10, %v20, %c5 : tensor<128x96xf16>, tensor<96x128xf16>, tensor<128x128xf32>
    %v22 = tensor.splat %scale_log2 : tensor<128x128xf32>
    %v23 = arith.mulf %v21, %v22 : tensor<128x128xf32>
    %v24 = tile.load %Bias[%v8, %v7, %v15] : !tile.view<?x?x?xf16> -> tensor<128x128xf16>
    %v25 = arith.extf %v24 : tensor<128x128xf16> to tensor<128x128xf32>
    %v26 = arith.addf %v23, %v25 : tensor<128x128xf32>
    %v27 = tile.iota : tensor<128xi32>
    %v28 = arith.index_cast %v15 : index to i32
    %v29 = tensor.splat %v28 : tensor<128xi32>
    %v30 = arith.addi %v27, %v29 : tensor<128xi32>
    %v31 = arith.index_cast %v2 : index to i32
    %v32 = tensor.splat %v31 : tensor<128xi32>
    %v33 = arith.cmpi slt, %v30, %v32 : tensor<128xi32>
    %v34 = tile.broadcast %v33 axis 0 : tensor<128xi1> -> tensor<128x128xi1>
    %v35 = arith.select %v34, %v26, %c6 : tensor<128x128xi1>, tensor<128x128xf32>
    %v36 = tile.reduce "max" %v35 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v37 = arith.maximumf %v16, %v36 : tensor<128xf32>
    %v38 = tile.broadcast %v37 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v39 = arith.subf %v35, %v38 : tensor<128x128xf32>
    %v40 = math.exp2 %v39 : tensor<128x128xf32>
    %v41 = arith.subf %v16, %v37 : tensor<128xf32>
    %v42 = math.exp2 %v41 : tensor<128xf32>
    %v43 = arith.mulf %v17, %v42 : tensor<128xf32>
    %v44 = tile.reduce "add" %v40 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v45 = arith.addf %v43, %v44 : tensor<128xf32>
    %v46 = tile.load %V[%v9, %v8, %v15, %c1] : !tile.view<?x?x?x96xf16> -> tensor<128x96xf16>
    %v47 = arith.truncf %v40 : tensor<128x128xf32> to tensor<128x128xf16>
    %v48 = tile.broadcast %v42 axis 1 : tensor<128xf32> -> tensor<128x96xf32>
    %v49 = arith.mulf %v18, %v48 : tensor<128x96xf32>
    %v50 = tile.dot %v47, %v46, %v49 : tensor<128x128xf16>, tensor<128x96xf16>, tensor<128x96xf32>
    scf.yield %v37, %v45, %v50 : tensor<128xf32>, tensor<128xf32>, tensor<128x96xf32>
  }
  %v54 = tile.broadcast %v52 axis 1 : tensor<128xf32> -> tensor<128x96xf32>
  %v55 = arith.divf %v53, %v54 : tensor<128x96xf32>
  %v56 = arith.truncf %v55 : tensor<128x96xf32> to tensor<128x96xf16>
  tile.store %v56, %O[%v9, %v8, %v7, %c1] : tensor<128x96xf16>, !tile.view<?x?x?x96xf16>
  tile.return
}
