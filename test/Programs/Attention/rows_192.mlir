// Attention with 192 rows on three groups of 160 registers: a product's result fits beside that of the other one, but
// not beside its operand as well. The next scores begin when the product with V is done, and element-wise operations
// run slice by slice.
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// RUN: heddle compile %s --emit=plan > %t.plan
// RUN: heddle compile %s --emit=cuda > %t.cu
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | diff %t.cu -
// RUN: heddle compile %s --emit=warp --no-locations > %t.warp.mlir
// RUN: heddle compile %t.warp.mlir --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: for (int slice = 0; slice < 4; ++slice) {
// CUDA: hd::wgmmaRS<
// CUDA: hd::wgmmaCommit();
// CUDA-NOT: hd::wgmmaSS<
// CUDA: hd::wgmmaWait<0>();
// CUDA: hd::wgmmaSS<
tile.kernel @attention_rows_192(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                       %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                       %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                       %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                       %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                       %scale: f32 {tile.name = "scale", tile.default = 1.275e-01 : f32}) 
    attributes {tile.default_dims = {B = 1 : i64, H = 1 : i64, S = 200 : i64, T = 300 : i64}} {
  %c0 = arith.constant 192 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant dense<0xFF800000> : tensor<192xf32>
  %c3 = arith.constant dense<0.00000000000000000e+00> : tensor<192xf32>
  %c4 = arith.constant dense<0.00000000000000000e+00> : tensor<192x128xf32>
  %c5 = arith.constant 128 : index
  %c6 = arith.constant dense<0xFF800000> : tensor<192x128xf32>
  %c7 = arith.constant dense<6.93147180559945286e-01> : tensor<192xf32>
  %v1 = tile.dim %Q, 2 : !tile.view<?x?x?x128xf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  %v3 = tile.dim %Q, 1 : !tile.view<?x?x?x128xf16>
  %v4 = tile.dim %Q, 0 : !tile.view<?x?x?x128xf16>
  tile.grid %v2, %v3, %v4
  %v5 = tile.program_id 0
  %v6 = arith.muli %v5, %c0 : index
  %v7 = tile.program_id 1
  %v8 = tile.program_id 2
  %v9 = tile.load %Q[%v8, %v7, %v6, %c1] : !tile.view<?x?x?x128xf16> -> tensor<192x128xf16>
  %v10 = tile.iota : tensor<192xi32>
  %v11 = arith.index_cast %v6 : index to i32
  %v12 = tensor.splat %v11 : tensor<192xi32>
  %v13 = arith.addi %v10, %v12 : tensor<192xi32>
  %v14 = tile.dim %K, 2 : !tile.view<?x?x?x128xf16>
  %v52, %v53, %v54 = scf.for %v15 = %c1 to %v14 step %c5 iter_args(%v16 = %c2, %v17 = %c3, %v18 = %c4)
      -> (tensor<192xf32>, tensor<192xf32>, tensor<192x128xf32>) {
    %v19 = tile.load %K[%v8, %v7, %v15, %c1] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %v20 = tile.transpose %v19 : tensor<128x128xf16> -> tensor<128x128xf16>
    %v21 = tile.dot %v9, %v20, %c4 : tensor<192x128xf16>, tensor<128x128xf16>, tensor<192x128xf32>
    %v22 = tile.iota : tensor<128xi32>
    %v23 = arith.index_cast %v15 : index to i32
    %v24 = tensor.splat %v23 : tensor<128xi32>
    %v25 = arith.addi %v22, %v24 : tensor<128xi32>
    %v26 = arith.index_cast %v14 : index to i32
    %v27 = tensor.splat %v26 : tensor<128xi32>
    %v28 = arith.cmpi slt, %v25, %v27 : tensor<128xi32>
    %v29 = tile.broadcast %v28 axis 0 : tensor<128xi1> -> tensor<192x128xi1>
    %v30 = arith.select %v29, %v21, %c6 : tensor<192x128xi1>, tensor<192x128xf32>
    %v31 = tile.reduce "max" %v30 axis 1 : tensor<192x128xf32> -> tensor<192xf32>
    %v32 = arith.maximumf %v16, %v31 : tensor<192xf32>
    %v33 = tensor.splat %scale : tensor<192xf32>
    %v34 = arith.mulf %v32, %v33 : tensor<192xf32>
    %v35 = tensor.splat %scale : tensor<192x128xf32>
    %v36 = arith.mulf %v30, %v35 : tensor<192x128xf32>
    %v37 = tile.broadcast %v34 axis 1 : tensor<192xf32> -> tensor<192x128xf32>
    %v38 = arith.subf %v36, %v37 : tensor<192x128xf32>
    %v39 = math.exp2 %v38 : tensor<192x128xf32>
    %v40 = tensor.splat %scale : tensor<192xf32>
    %v41 = arith.mulf %v16, %v40 : tensor<192xf32>
    %v42 = arith.subf %v41, %v34 : tensor<192xf32>
    %v43 = math.exp2 %v42 : tensor<192xf32>
    %v44 = arith.truncf %v39 : tensor<192x128xf32> to tensor<192x128xf16>
    %v45 = tile.load %V[%v8, %v7, %v15, %c1] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %v46 = tile.broadcast %v43 axis 1 : tensor<192xf32> -> tensor<192x128xf32>
    %v47 = arith.mulf %v18, %v46 : tensor<192x128xf32>
    %v48 = tile.dot %v44, %v45, %v47 : tensor<192x128xf16>, tensor<128x128xf16>, tensor<192x128xf32>
    %v49 = arith.mulf %v17, %v43 : tensor<192xf32>
    %v50 = tile.reduce "add" %v39 axis 1 : tensor<192x128xf32> -> tensor<192xf32>
    %v51 = arith.addf %v49, %v50 : tensor<192xf32>
    scf.yield %v32, %v51, %v48 : tensor<192xf32>, tensor<192xf32>, tensor<192x128xf32>
  }
  %v55 = tile.broadcast %v53 axis 1 : tensor<192xf32> -> tensor<192x128xf32>
  %v56 = arith.divf %v54, %v55 : tensor<192x128xf32>
  %v57 = arith.truncf %v56 : tensor<192x128xf32> to tensor<192x128xf16>
  tile.store %v57, %O[%v8, %v7, %v6, %c1] : tensor<192x128xf16>, !tile.view<?x?x?x128xf16>
  %v58 = tensor.splat %scale : tensor<192xf32>
  %v59 = arith.mulf %v52, %v58 : tensor<192xf32>
  %v60 = arith.mulf %v59, %c7 : tensor<192xf32>
  %v61 = math.log %v53 : tensor<192xf32>
  %v62 = arith.addf %v60, %v61 : tensor<192xf32>
  tile.store %v62, %LSE[%v8, %v7, %v6] : tensor<192xf32>, !tile.view<?x?x?xf32>
  tile.return
}
