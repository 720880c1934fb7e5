// The delta rule in chunks of 64 rows with a state of 128 x 128, for which one group has no registers: each of two
// groups holds half of the state's rows, and computes the products of a chunk, whose rows are too few for both, whole.
// RUN: heddle run %s --device=sim --dims T=128 '--input=K=const(0.01)' '--input=V=uniform(1,2)' --input=Bt=ones \
// RUN:   | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims T=128 '--input=K=const(0.01)' '--input=V=uniform(1,2)' \
// RUN:   --input=Bt=ones | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=GROUPS
// GROUPS: groups = 2, {{.*}}default: groups
tile.kernel @delta(%K: !tile.view<?x128xbf16> {tile.name = "K", tile.dims = ["T", "DK"]},
                   %V: !tile.view<?x128xbf16> {tile.name = "V", tile.dims = ["T", "DV"]},
                   %Bt: !tile.view<?xf32> {tile.name = "Bt", tile.dims = ["T"]},
                   %O: !tile.view<?x128xbf16> {tile.name = "O", tile.dims = ["T", "DV"]}) {
  %c0 = arith.constant 1 : index
  %c1 = arith.constant dense<0.00000000000000000e+00> : tensor<64x64xf32>
  %c2 = arith.constant dense<1.00000000000000000e+00> : tensor<64x64xf32>
  %c3 = arith.constant dense<0.00000000000000000e+00> : tensor<128x128xf32>
  %c4 = arith.constant 0 : index
  %c5 = arith.constant 64 : index
  %c6 = arith.constant dense<0.00000000000000000e+00> : tensor<64x128xf32>
  tile.grid %c0
  %v1 = tile.iota : tensor<64xi32>
  %v2 = tile.broadcast %v1 axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %v3 = tile.broadcast %v1 axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %v4 = arith.cmpi slt, %v2, %v3 : tensor<64x64xi32>
  %v5 = tile.broadcast %v1 axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %v6 = tile.broadcast %v1 axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %v7 = arith.cmpi eq, %v5, %v6 : tensor<64x64xi32>
  %v8 = arith.select %v7, %c2, %c1 : tensor<64x64xi1>, tensor<64x64xf32>
  %v9 = tile.dim %K, 0 : !tile.view<?x128xbf16>
  %v34 = scf.for %v10 = %c4 to %v9 step %c5 iter_args(%v11 = %c3) -> (tensor<128x128xf32>) {
    %v12 = tile.load %K[%v10, %c4] : !tile.view<?x128xbf16> -> tensor<64x128xbf16>
    %v13 = tile.load %V[%v10, %c4] : !tile.view<?x128xbf16> -> tensor<64x128xbf16>
    %v14 = tile.load %Bt[%v10] : !tile.view<?xf32> -> tensor<64xf32>
    %v15 = tile.transpose %v12 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v16 = tile.dot %v12, %v15, %c1 : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %v17 = tile.broadcast %v14 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %v18 = arith.mulf %v16, %v17 : tensor<64x64xf32>
    %v19 = arith.select %v4, %v18, %c1 : tensor<64x64xi1>, tensor<64x64xf32>
    %v20 = arith.subf %v8, %v19 : tensor<64x64xf32>
    %v21 = arith.truncf %v19 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v22 = arith.truncf %v11 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v23 = arith.extf %v13 : tensor<64x128xbf16> to tensor<64x128xf32>
    %v24 = tile.dot %v12, %v22, %c6 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    %v25 = arith.subf %v23, %v24 : tensor<64x128xf32>
    %v26 = tile.broadcast %v14 axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %v27 = arith.mulf %v25, %v26 : tensor<64x128xf32>
    %v28 = arith.truncf %v27 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v29 = arith.truncf %v20 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v30 = tile.dot %v29, %v28, %c6 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %v31 = arith.truncf %v30 : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %v31, %O[%v10, %c4] : tensor<64x128xbf16>, !tile.view<?x128xbf16>
    %v32 = tile.transpose %v12 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v33 = tile.dot %v32, %v31, %v11 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %v33 : tensor<128x128xf32>
  }
  tile.return
}
