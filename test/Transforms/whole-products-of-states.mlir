// Linear attention in chunks of 128 rows, whose scores two groups divide; each computes the state of 64 rows whole, of
// both groups' keys.
// RUN: heddle run %s --device=sim --dims T=300 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims T=300 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @lin(%Q: !tile.view<?x64xbf16> {tile.name = "Q", tile.dims = ["T", "DK"]},
                 %K: !tile.view<?x64xbf16> {tile.name = "K", tile.dims = ["T", "DK"]},
                 %V: !tile.view<?x128xbf16> {tile.name = "V", tile.dims = ["T", "DV"]},
                 %O: !tile.view<?x128xbf16> {tile.name = "O", tile.dims = ["T", "DV"]}) {
  %c0 = arith.constant 1 : index
  %c1 = arith.constant dense<0.00000000000000000e+00> : tensor<64x128xf32>
  %c2 = arith.constant 0 : index
  %c3 = arith.constant 128 : index
  %c4 = arith.constant dense<0.00000000000000000e+00> : tensor<128x128xf32>
  tile.grid %c0
  %v1 = tile.iota : tensor<128xi32>
  %v2 = tile.broadcast %v1 axis 0 : tensor<128xi32> -> tensor<128x128xi32>
  %v3 = tile.broadcast %v1 axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %v4 = arith.cmpi sle, %v2, %v3 : tensor<128x128xi32>
  %v5 = tile.dim %Q, 0 : !tile.view<?x64xbf16>
  %v21 = scf.for %v6 = %c2 to %v5 step %c3 iter_args(%v7 = %c1) -> (tensor<64x128xf32>) {
    %v8 = tile.load %Q[%v6, %c2] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %v9 = tile.load %K[%v6, %c2] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %v10 = tile.load %V[%v6, %c2] : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
    %v11 = tile.transpose %v9 : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %v12 = tile.dot %v8, %v11, %c4 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    %v13 = arith.select %v4, %v12, %c4 : tensor<128x128xi1>, tensor<128x128xf32>
    %v14 = arith.truncf %v13 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v15 = arith.truncf %v7 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v16 = tile.dot %v8, %v15, %c4 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    %v17 = tile.dot %v14, %v10, %v16 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
    %v18 = arith.truncf %v17 : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %v18, %O[%v6, %c2] : tensor<128x128xbf16>, !tile.view<?x128xbf16>
    %v19 = tile.transpose %v9 : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %v20 = tile.dot %v19, %v10, %v7 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    scf.yield %v20 : tensor<64x128xf32>
  }
  tile.return
}
