// Groups divide the rows of a loaded tile that threads scale and the columns of the same tile where its transpose is a
// left operand: each use takes its part.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=GROUPS
// GROUPS: groups = 2
tile.kernel @scaled_and_transposed(%X: !tile.view<?x?x128xbf16> {tile.name = "X", tile.dims = ["BH", "T", "X2"]},
    %V: !tile.view<?x?x64xbf16> {tile.name = "V", tile.dims = ["BH", "T", "V2"]},
    %g: !tile.view<?x?xf32> {tile.name = "g", tile.dims = ["BH", "T"]},
    %O: !tile.view<?x?x64xbf16> {tile.name = "O", tile.dims = ["BH", "T", "O2"]},
    %S: !tile.view<?x128x64xf32> {tile.name = "S", tile.dims = ["BH", "S1", "S2"]})
    attributes {tile.default_dims = {BH = 1 : i64, T = 200 : i64}} {
  %v1 = tile.dim %X, 0 : !tile.view<?x?x128xbf16>
  tile.grid %v1
  %v2 = tile.program_id 0
  %v3 = tile.dim %X, 1 : !tile.view<?x?x128xbf16>
  %v4 = arith.constant dense<0.0> : tensor<128x64xf32>
  %v5 = arith.constant 0 : index
  %v6 = arith.constant 128 : index
  %v9 = scf.for %v7 = %v5 to %v3 step %v6 iter_args(%v8 = %v4) -> (tensor<128x64xf32>) {
    %v10 = arith.constant 0 : index
    %v11 = tile.load %X[%v2, %v7, %v10] : !tile.view<?x?x128xbf16> -> tensor<128x128xbf16>
    %v12 = tile.load %g[%v2, %v7] : !tile.view<?x?xf32> -> tensor<128xf32>
    %v13 = arith.extf %v11 : tensor<128x128xbf16> to tensor<128x128xf32>
    %v14 = tile.broadcast %v12 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v15 = arith.mulf %v13, %v14 : tensor<128x128xf32>
    %v16 = arith.truncf %v15 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v17 = arith.truncf %v8 : tensor<128x64xf32> to tensor<128x64xbf16>
    %v18 = arith.constant dense<0.0> : tensor<128x64xf32>
    %v19 = tile.dot %v16, %v17, %v18 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %v20 = arith.truncf %v19 : tensor<128x64xf32> to tensor<128x64xbf16>
    %v21 = arith.constant 0 : index
    tile.store %v20, %O[%v2, %v7, %v21] : tensor<128x64xbf16>, !tile.view<?x?x64xbf16>
    %v22 = tile.transpose %v11 : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %vv = tile.load %V[%v2, %v7, %v10] : !tile.view<?x?x64xbf16> -> tensor<128x64xbf16>
    %v23 = tile.dot %v22, %vv, %v8 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    scf.yield %v23 : tensor<128x64xf32>
  }
  %v24 = arith.constant 0 : index
  %v25 = arith.constant 0 : index
  tile.store %v9, %S[%v2, %v24, %v25] : tensor<128x64xf32>, !tile.view<?x128x64xf32>
  tile.return
}
