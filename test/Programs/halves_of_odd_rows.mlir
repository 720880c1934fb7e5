// Rotary embedding of rows of 72 columns: halves of 36 columns are put together of pieces of 32 and 4 columns, which
// threads hold in both places.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// CHECK: verified
tile.kernel @halves(%X: !tile.view<?x72xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                    %cos: !tile.view<?x72xf32> {tile.name = "cos", tile.dims = ["M", "D"]},
                    %sin: !tile.view<?x72xf32> {tile.name = "sin", tile.dims = ["M", "D"]},
                    %Y: !tile.view<?x72xf16> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 50}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %M = tile.dim %X, 0 : !tile.view<?x72xf16>
  %blocks = arith.ceildivui %M, %c16 : index
  tile.grid %blocks
  %p = tile.program_id 0
  %m = arith.muli %p, %c16 : index
  %xh = tile.load %X[%m, %c0] : !tile.view<?x72xf16> -> tensor<16x72xf16>
  %c = tile.load %cos[%m, %c0] : !tile.view<?x72xf32> -> tensor<16x72xf32>
  %s = tile.load %sin[%m, %c0] : !tile.view<?x72xf32> -> tensor<16x72xf32>
  %x = arith.extf %xh : tensor<16x72xf16> to tensor<16x72xf32>
  %first = tensor.extract_slice %x[0, 0] [16, 36] [1, 1] : tensor<16x72xf32> to tensor<16x36xf32>
  %second = tensor.extract_slice %x[0, 36] [16, 36] [1, 1] : tensor<16x72xf32> to tensor<16x36xf32>
  %minus = arith.negf %second : tensor<16x36xf32>
  %turned = tensor.concat dim(1) %minus, %first : (tensor<16x36xf32>, tensor<16x36xf32>) -> tensor<16x72xf32>
  %a = arith.mulf %x, %c : tensor<16x72xf32>
  %b = arith.mulf %turned, %s : tensor<16x72xf32>
  %y = arith.addf %a, %b : tensor<16x72xf32>
  %yh = arith.truncf %y : tensor<16x72xf32> to tensor<16x72xf16>
  tile.store %yh, %Y[%m, %c0] : tensor<16x72xf16>, !tile.view<?x72xf16>
  tile.return
}
