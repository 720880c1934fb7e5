// A scan of rows whose number the tensor core pads: from the end, what lies beyond must not count.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: sed 's/ reverse//' %s > %t.mlir && heddle run %t.mlir --device=sim | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @scan_of_96_rows(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["S", "X1"]},
    %G: !tile.view<?xf32> {tile.name = "G", tile.dims = ["S"]},
    %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "O1"]},
    %P: !tile.view<?x64xbf16> {tile.name = "P", tile.dims = ["S", "P1"]})
    attributes {tile.default_dims = {S = 200}} {
  %v1 = tile.dim %X, 0 : !tile.view<?x64xf32>
  %v2 = arith.constant 96 : index
  %v3 = arith.ceildivui %v1, %v2 : index
  tile.grid %v3
  %v4 = tile.program_id 0
  %v5 = arith.constant 96 : index
  %v6 = arith.muli %v4, %v5 : index
  %v7 = arith.constant 0 : index
  %v8 = tile.load %P[%v6, %v7] : !tile.view<?x64xbf16> -> tensor<96x64xbf16>
  %v9 = tile.transpose %v8 : tensor<96x64xbf16> -> tensor<64x96xbf16>
  %v10 = arith.constant dense<0.0> : tensor<96x96xf32>
  %v11 = tile.dot %v8, %v9, %v10 : tensor<96x64xbf16>, tensor<64x96xbf16>, tensor<96x96xf32>
  %v12 = tile.load %G[%v6] : !tile.view<?xf32> -> tensor<96xf32>
  %v13 = tile.scan "add" %v12 axis 0 reverse : tensor<96xf32>
  %v14 = tile.broadcast %v13 axis 1 : tensor<96xf32> -> tensor<96x96xf32>
  %v15 = tile.broadcast %v13 axis 0 : tensor<96xf32> -> tensor<96x96xf32>
  %v16 = arith.subf %v14, %v15 : tensor<96x96xf32>
  %v17 = arith.mulf %v11, %v16 : tensor<96x96xf32>
  %v18 = tile.reduce "add" %v17 axis 1 : tensor<96x96xf32> -> tensor<96xf32>
  %v19 = tile.broadcast %v18 axis 1 : tensor<96xf32> -> tensor<96x64xf32>
  %v20 = arith.constant 0 : index
  tile.store %v19, %O[%v6, %v20] : tensor<96x64xf32>, !tile.view<?x64xf32>
  tile.return
}
