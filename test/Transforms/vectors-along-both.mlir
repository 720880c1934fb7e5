// One vector decays the rows of scores and their columns, and the rows of a tile whose transpose is a left operand:
// every group computes it whole, which is known only once two uses of what is made of it disagree.
// REQUIRES: tool-heddle
// RUN: heddle run %s --device=sim --input "a=uniform(-0.1,0)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --input "a=uniform(-0.1,0)" | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=GROUPS
// GROUPS: groups = 2
tile.kernel @decay_along_both(%Q: !tile.view<?x?x128xbf16> {tile.name = "Q", tile.dims = ["BH", "T", "Q2"]},
    %K: !tile.view<?x?x128xbf16> {tile.name = "K", tile.dims = ["BH", "T", "K2"]},
    %V: !tile.view<?x?x64xbf16> {tile.name = "V", tile.dims = ["BH", "T", "V2"]},
    %a: !tile.view<?x?xf32> {tile.name = "a", tile.dims = ["BH", "T"]},
    %b: !tile.view<?x?xf32> {tile.name = "b", tile.dims = ["BH", "T"]},
    %O: !tile.view<?x?x64xbf16> {tile.name = "O", tile.dims = ["BH", "T", "O2"]})
    attributes {tile.default_dims = {BH = 1 : i64, T = 200 : i64}} {
  %v1 = tile.dim %Q, 0 : !tile.view<?x?x128xbf16>
  tile.grid %v1
  %v2 = tile.program_id 0
  %v3 = tile.iota : tensor<128xi32>
  %v4 = tile.broadcast %v3 axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %v5 = tile.broadcast %v3 axis 0 : tensor<128xi32> -> tensor<128x128xi32>
  %v6 = arith.cmpi sge, %v4, %v5 : tensor<128x128xi32>
  %v7 = tile.dim %Q, 1 : !tile.view<?x?x128xbf16>
  %v8 = arith.constant dense<0.0> : tensor<128x64xf32>
  %v9 = arith.constant 0 : index
  %v10 = arith.constant 128 : index
  %v13 = scf.for %v11 = %v9 to %v7 step %v10 iter_args(%v12 = %v8) -> (tensor<128x64xf32>) {
    %v14 = arith.constant 0 : index
    %v15 = tile.load %Q[%v2, %v11, %v14] : !tile.view<?x?x128xbf16> -> tensor<128x128xbf16>
    %v16 = arith.constant 0 : index
    %v17 = tile.load %K[%v2, %v11, %v16] : !tile.view<?x?x128xbf16> -> tensor<128x128xbf16>
    %v18 = arith.constant 0 : index
    %v19 = tile.load %V[%v2, %v11, %v18] : !tile.view<?x?x64xbf16> -> tensor<128x64xbf16>
    %v20 = tile.load %a[%v2, %v11] : !tile.view<?x?xf32> -> tensor<128xf32>
    %v21 = tile.load %b[%v2, %v11] : !tile.view<?x?xf32> -> tensor<128xf32>
    %v22 = arith.truncf %v12 : tensor<128x64xf32> to tensor<128x64xbf16>
    %v23 = tile.scan "add" %v20 axis 0 : tensor<128xf32>
    %v24 = tile.transpose %v17 : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %v25 = arith.constant dense<0.0> : tensor<128x128xf32>
    %v26 = tile.dot %v15, %v24, %v25 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
    %v27 = tile.broadcast %v23 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v28 = tile.broadcast %v23 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %v29 = arith.subf %v27, %v28 : tensor<128x128xf32>
    %v30 = math.exp %v29 : tensor<128x128xf32>
    %v31 = arith.constant dense<0.0> : tensor<128x128xf32>
    %v32 = arith.select %v6, %v30, %v31 : tensor<128x128xi1>, tensor<128x128xf32>
    %v33 = arith.mulf %v26, %v32 : tensor<128x128xf32>
    %v34 = arith.constant dense<0.0> : tensor<128x64xf32>
    %v35 = tile.dot %v15, %v22, %v34 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %v36 = math.exp %v23 : tensor<128xf32>
    %v37 = tile.broadcast %v36 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %v38 = arith.mulf %v35, %v37 : tensor<128x64xf32>
    %v39 = arith.truncf %v33 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v40 = tile.dot %v39, %v19, %v38 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %v41 = arith.truncf %v40 : tensor<128x64xf32> to tensor<128x64xbf16>
    %v42 = arith.constant 0 : index
    tile.store %v41, %O[%v2, %v11, %v42] : tensor<128x64xbf16>, !tile.view<?x?x64xbf16>
    %v43 = arith.extf %v17 : tensor<128x128xbf16> to tensor<128x128xf32>
    %v44 = arith.constant dense<-1.0> : tensor<128xf32>
    %v45 = arith.mulf %v23, %v44 : tensor<128xf32>
    %v46 = math.exp %v45 : tensor<128xf32>
    %v47 = tile.broadcast %v46 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v48 = arith.mulf %v43, %v47 : tensor<128x128xf32>
    %v49 = arith.truncf %v48 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v50 = tile.transpose %v49 : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %v51 = tile.dot %v50, %v19, %v12 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    scf.yield %v51 : tensor<128x64xf32>
  }
  tile.return
}
