// Attention with tiles of 256 rows of 64, with sums of rows in the loop: the masked scores are carried to the next
// iteration, and a branch around the mask would cost a second copy of them, for which there are no registers.
// Two loops in place of one, without and with the mask, would take more of them as well.
// RUN: echo '{kernel = {defer = false}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=cuda > %t
// RUN: FileCheck %s < %t
// RUN: grep -c "for (int it" %t | FileCheck %s --check-prefix=LOOPS
// CHECK-NOT: else every element passes the mask
// LOOPS: {{^2$}}
tile.kernel @attention_tall(%Q: !tile.view<?x?x?x64xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x64xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x64xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "DV"]},
    %O: !tile.view<?x?x?x64xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "DV"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.125 : f32})
    attributes {tile.default_dims = {B = 1, H = 2, S = 200, T = 264}} {
  %v1 = arith.constant 0 : index
  %v2 = arith.constant 256 : index
  %v3 = arith.constant 64 : index
  %v4 = tile.dim %Q, 2 : !tile.view<?x?x?x64xf16>
  %v5 = tile.dim %K, 2 : !tile.view<?x?x?x64xf16>
  %v6 = arith.ceildivui %v4, %v2 : index
  %v7 = tile.dim %Q, 1 : !tile.view<?x?x?x64xf16>
  %v8 = tile.dim %Q, 0 : !tile.view<?x?x?x64xf16>
  tile.grid %v6, %v7, %v8
  %v9 = tile.program_id 0
  %v10 = tile.program_id 1
  %v11 = tile.program_id 2
  %v12 = arith.muli %v9, %v2 : index
  %v13 = tile.load %Q[%v11, %v10, %v12, %v1] : !tile.view<?x?x?x64xf16> -> tensor<256x64xf16>
  %v14 = tensor.splat %scale : tensor<256x64xf32>
  %v15 = arith.constant dense<0xFF800000> : tensor<256x64xf32>
  %v16 = tile.iota : tensor<64xi32>
  %v17 = tile.iota : tensor<256xi32>
  %v18 = arith.index_cast %v12 : index to i32
  %v19 = tensor.splat %v18 : tensor<256xi32>
  %v20 = arith.addi %v17, %v19 : tensor<256xi32>
  %v21 = tile.broadcast %v20 axis 1 : tensor<256xi32> -> tensor<256x64xi32>
  %v22 = arith.constant dense<1.44269504> : tensor<256x64xf32>
  %v23 = arith.constant dense<1.44269504> : tensor<256xf32>
  %v24 = arith.constant dense<0xFF800000> : tensor<256xf32>
  %v25 = arith.constant dense<0.0> : tensor<256xf32>
  %v26 = arith.constant dense<0.0> : tensor<256x64xf32>
  %v27, %v28, %v29 = scf.for %v30 = %v1 to %v5 step %v3
      iter_args(%v31 = %v24, %v32 = %v25, %v33 = %v26)
      -> (tensor<256xf32>, tensor<256xf32>, tensor<256x64xf32>) {
    %v34 = tile.load %K[%v11, %v10, %v30, %v1] : !tile.view<?x?x?x64xf16> -> tensor<64x64xf16>
    %v35 = tile.transpose %v34 : tensor<64x64xf16> -> tensor<64x64xf16>
    %v36 = arith.constant dense<0.0> : tensor<256x64xf32>
    %v37 = tile.dot %v13, %v35, %v36 : tensor<256x64xf16>, tensor<64x64xf16>, tensor<256x64xf32>
    %v38 = arith.addf %v37, %v14 : tensor<256x64xf32>
    %v39 = arith.index_cast %v30 : index to i32
    %v40 = tensor.splat %v39 : tensor<64xi32>
    %v41 = arith.addi %v16, %v40 : tensor<64xi32>
    %v42 = tile.broadcast %v41 axis 0 : tensor<64xi32> -> tensor<256x64xi32>
    %v43 = arith.index_cast %v5 : index to i32
    %v44 = tensor.splat %v43 : tensor<256x64xi32>
    %v45 = arith.cmpi slt, %v42, %v44 : tensor<256x64xi32>
    %v46 = tile.load %V[%v11, %v10, %v30, %v1] : !tile.view<?x?x?x64xf16> -> tensor<64x64xf16>
    %v47 = arith.select %v45, %v38, %v15 : tensor<256x64xi1>, tensor<256x64xf32>
    %v48 = tile.reduce "max" %v47 axis 1 : tensor<256x64xf32> -> tensor<256xf32>
    %v49 = arith.maximumf %v31, %v48 : tensor<256xf32>
    %v50 = tile.broadcast %v49 axis 1 : tensor<256xf32> -> tensor<256x64xf32>
    %v51 = arith.subf %v47, %v50 : tensor<256x64xf32>
    %v52 = arith.mulf %v51, %v22 : tensor<256x64xf32>
    %v53 = math.exp2 %v52 : tensor<256x64xf32>
    %v54 = arith.subf %v31, %v49 : tensor<256xf32>
    %v55 = arith.mulf %v54, %v23 : tensor<256xf32>
    %v56 = math.exp2 %v55 : tensor<256xf32>
    %v57 = arith.mulf %v32, %v56 : tensor<256xf32>
    %v58 = tile.reduce "add" %v53 axis 1 : tensor<256x64xf32> -> tensor<256xf32>
    %v59 = arith.addf %v57, %v58 : tensor<256xf32>
    %v60 = tile.broadcast %v56 axis 1 : tensor<256xf32> -> tensor<256x64xf32>
    %v61 = arith.mulf %v33, %v60 : tensor<256x64xf32>
    %v62 = arith.truncf %v53 : tensor<256x64xf32> to tensor<256x64xf16>
    %v63 = tile.dot %v62, %v46, %v61 : tensor<256x64xf16>, tensor<64x64xf16>, tensor<256x64xf32>
    scf.yield %v49, %v59, %v63 : tensor<256xf32>, tensor<256xf32>, tensor<256x64xf32>
  }
  %v64 = tile.broadcast %v28 axis 1 : tensor<256xf32> -> tensor<256x64xf32>
  %v65 = arith.divf %v29, %v64 : tensor<256x64xf32>
  %v66 = arith.truncf %v65 : tensor<256x64xf32> to tensor<256x64xf16>
  tile.store %v66, %O[%v11, %v10, %v12, %v1] : tensor<256x64xf16>, !tile.view<?x?x?x64xf16>
  tile.return
}
