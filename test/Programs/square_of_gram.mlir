// A computed tile that is both operands of a product: two groups exchange its parts.
// RUN: heddle run %s --device=sim --dims B=2 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims B=2 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @square_of_gram(%X: !tile.view<?x128x64xf16> {tile.name = "X", tile.dims = ["B", "N", "D"]},
                            %Y: !tile.view<?x128x128xf32> {tile.name = "Y", tile.dims = ["B", "N", "M"]})
    attributes {tile.default_dims = {B = 2}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant dense<0.00000000000000000e+00> : tensor<128x128xf32>
  %v1 = tile.dim %X, 0 : !tile.view<?x128x64xf16>
  tile.grid %v1
  %v2 = tile.program_id 0
  %v3 = tile.load %X[%v2, %c0, %c0] : !tile.view<?x128x64xf16> -> tensor<128x64xf16>
  %v4 = tile.transpose %v3 : tensor<128x64xf16> -> tensor<64x128xf16>
  %v5 = tile.dot %v3, %v4, %c1 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %v6 = arith.truncf %v5 : tensor<128x128xf32> to tensor<128x128xf16>
  %v7 = tile.dot %v6, %v6, %c1 : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
  tile.store %v7, %Y[%v2, %c0, %c0] : tensor<128x128xf32>, !tile.view<?x128x128xf32>
  tile.return
}
