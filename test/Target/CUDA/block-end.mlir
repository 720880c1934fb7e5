// Nothing between two stages of a complex transform keeps ptxas from moving arithmetic behind the products that follow:
// its operands beside their results would take 256 of 240 registers.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s --check-prefix=VERIFIED
// CHECK: hd::endBlock(smem);
// CHECK-NOT: hd::endBlock(smem);
// VERIFIED: verified
tile.kernel @transform(%Xr: !tile.view<?x128x128xbf16> {tile.name = "Xr", tile.dims = ["B", "N", "N"]},
    %Xi: !tile.view<?x128x128xbf16> {tile.name = "Xi", tile.dims = ["B", "N", "N"]},
    %Yr: !tile.view<?x128x128xbf16> {tile.name = "Yr", tile.dims = ["B", "N", "N"]},
    %Yi: !tile.view<?x128x128xbf16> {tile.name = "Yi", tile.dims = ["B", "N", "N"]},
    %Fr: !tile.view<128x128xbf16> {tile.name = "Fr", tile.dims = ["N", "N"]},
    %Fi: !tile.view<128x128xbf16> {tile.name = "Fi", tile.dims = ["N", "N"]})
    attributes {tile.default_dims = {B = 3, N = 128}} {
  %v1 = arith.constant 0 : index
  %v2 = tile.dim %Xr, 0 : !tile.view<?x128x128xbf16>
  tile.grid %v2
  %v3 = tile.program_id 0
  %v4 = tile.load %Fr[%v1, %v1] : !tile.view<128x128xbf16> -> tensor<128x128xbf16>
  %v5 = tile.load %Fi[%v1, %v1] : !tile.view<128x128xbf16> -> tensor<128x128xbf16>
  %v6 = tile.load %Xr[%v3, %v1, %v1] : !tile.view<?x128x128xbf16> -> tensor<128x128xbf16>
  %v7 = tile.load %Xi[%v3, %v1, %v1] : !tile.view<?x128x128xbf16> -> tensor<128x128xbf16>
  %v8 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v9 = tile.dot %v4, %v6, %v8 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v10 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v11 = tile.dot %v5, %v7, %v10 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v12 = arith.subf %v9, %v11 : tensor<128x128xf32>
  %v13 = arith.truncf %v12 : tensor<128x128xf32> to tensor<128x128xbf16>
  %v14 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v15 = tile.dot %v4, %v7, %v14 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v16 = tile.dot %v5, %v6, %v15 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v17 = arith.truncf %v16 : tensor<128x128xf32> to tensor<128x128xbf16>
  %v18 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v19 = tile.dot %v13, %v4, %v18 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v20 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v21 = tile.dot %v17, %v5, %v20 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v22 = arith.subf %v19, %v21 : tensor<128x128xf32>
  %v23 = arith.constant dense<0.0> : tensor<128x128xf32>
  %v24 = tile.dot %v13, %v5, %v23 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v25 = tile.dot %v17, %v4, %v24 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %v26 = arith.truncf %v22 : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %v26, %Yr[%v3, %v1, %v1] : tensor<128x128xbf16>, !tile.view<?x128x128xbf16>
  %v27 = arith.truncf %v25 : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %v27, %Yi[%v3, %v1, %v1] : tensor<128x128xbf16>, !tile.view<?x128x128xbf16>
  tile.return
}
