// A transform of square blocks along both dimensions, in real and imaginary parts: products in straight line, of
// which one takes the other's result.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @transform_of_blocks(%Xr: !tile.view<?x64x64xf16> {tile.name = "Xr", tile.dims = ["B", "N", "N"]},
    %Xi: !tile.view<?x64x64xf16> {tile.name = "Xi", tile.dims = ["B", "N", "N"]},
    %Yr: !tile.view<?x64x64xf16> {tile.name = "Yr", tile.dims = ["B", "N", "N"]},
    %Yi: !tile.view<?x64x64xf16> {tile.name = "Yi", tile.dims = ["B", "N", "N"]},
    %Fr: !tile.view<64x64xf16> {tile.name = "Fr", tile.dims = ["N", "N"]},
    %Fi: !tile.view<64x64xf16> {tile.name = "Fi", tile.dims = ["N", "N"]})
    attributes {tile.default_dims = {B = 3, N = 64}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %Xr_0 = tile.dim %Xr, 0 : !tile.view<?x64x64xf16>
  tile.grid %Xr_0
  %p0 = tile.program_id 0
  %fr = tile.load %Fr[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %fi = tile.load %Fi[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %xr = tile.load %Xr[%p0, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
  %xi = tile.load %Xi[%p0, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %fr, %xr, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %d2 = tile.dot %fi, %xi, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %subf = arith.subf %d, %d2 : tensor<64x64xf32>
  %subf_h = arith.truncf %subf : tensor<64x64xf32> to tensor<64x64xf16>
  %d3 = tile.dot %fr, %xi, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %d4 = tile.dot %fi, %xr, %d3 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %d4_h = arith.truncf %d4 : tensor<64x64xf32> to tensor<64x64xf16>
  %d5 = tile.dot %subf_h, %fr, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %d6 = tile.dot %d4_h, %fi, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %subf2 = arith.subf %d5, %d6 : tensor<64x64xf32>
  %d7 = tile.dot %subf_h, %fi, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %d8 = tile.dot %d4_h, %fr, %d7 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %subf2_h = arith.truncf %subf2 : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %subf2_h, %Yr[%p0, %c0, %c0] : tensor<64x64xf16>, !tile.view<?x64x64xf16>
  %d8_h = arith.truncf %d8 : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %d8_h, %Yi[%p0, %c0, %c0] : tensor<64x64xf16>, !tile.view<?x64x64xf16>
  tile.return
}
