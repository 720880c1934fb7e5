// C = A B + C in f32: the tile that is added has no room beside the rings of the loop, its parts have.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: parts = {{\[}}32, 2]{{.*}} // {{.*}}default: {{.*}}parts
// The same as an update of what it stores to: each part is loaded before it is stored, and no other part meets it.
// RUN: sed -e '/%R: /d' -e 's/tile.load %R/tile.load %C/' %s > %t.mlir
// RUN: heddle run %t.mlir --device=sim | FileCheck %s
// RUN: heddle run %t.mlir --device=emulate --interleavings=2 | FileCheck %s
// RUN: heddle compile %t.mlir --emit=plan | FileCheck %s --check-prefix=PLAN
tile.kernel @residual_f32(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
    %R: !tile.view<?x?xf32> {tile.name = "R", tile.dims = ["M", "N"]},
    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 264, K = 208}} {
  %v1 = tile.dim %C, 0 : !tile.view<?x?xf32>
  %v2 = tile.dim %C, 1 : !tile.view<?x?xf32>
  %v3 = tile.dim %A, 1 : !tile.view<?x?xf16>
  %v4 = arith.constant 128 : index
  %v5 = arith.ceildivui %v1, %v4 : index
  %v6 = arith.constant 256 : index
  %v7 = arith.ceildivui %v2, %v6 : index
  tile.grid %v5, %v7 {raster = 8 : i64}
  %v8 = tile.program_id 0
  %v9 = arith.constant 128 : index
  %v10 = arith.muli %v8, %v9 : index
  %v11 = tile.program_id 1
  %v12 = arith.constant 256 : index
  %v13 = arith.muli %v11, %v12 : index
  %v14 = arith.constant dense<0.0> : tensor<128x256xf32>
  %v15 = arith.constant 0 : index
  %v16 = arith.constant 64 : index
  %v18r = scf.for %v17i = %v15 to %v3 step %v16 iter_args(%v18ra0 = %v14) -> (tensor<128x256xf32>)  {
    %v19 = tile.load %A[%v10, %v17i] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %v20 = tile.load %B[%v13, %v17i] : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %v21 = tile.transpose %v20 : tensor<256x64xf16> -> tensor<64x256xf16>
    %v22 = tile.dot %v19, %v21, %v18ra0 : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %v22 : tensor<128x256xf32>
  }
  %v23 = tile.load %R[%v10, %v13] : !tile.view<?x?xf32> -> tensor<128x256xf32>
  %v24 = arith.addf %v18r, %v23 : tensor<128x256xf32>
  tile.store %v24, %C[%v10, %v13] : tensor<128x256xf32>, !tile.view<?x?xf32>
  tile.return
}
