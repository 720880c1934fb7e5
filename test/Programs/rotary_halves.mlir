// Rotary embedding of rows by their halves: parts of a tile, put together the other way round.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// CHECK: verified
tile.kernel @rotary(%X: !tile.view<?x128xbf16> {tile.name = "X", tile.dims = ["M", "D"]},
                    %cos: !tile.view<?x128xf32> {tile.name = "cos", tile.dims = ["M", "D"]},
                    %sin: !tile.view<?x128xf32> {tile.name = "sin", tile.dims = ["M", "D"]},
                    %Y: !tile.view<?x128xbf16> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 50}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %M = tile.dim %X, 0 : !tile.view<?x128xbf16>
  %g = arith.ceildivui %M, %c16 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c16 : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x128xbf16> -> tensor<16x128xbf16>
  %left = tensor.extract_slice %x[0, 0] [16, 64] [1, 1] : tensor<16x128xbf16> to tensor<16x64xbf16>
  %right = tensor.extract_slice %x[0, 64] [16, 64] [1, 1] : tensor<16x128xbf16> to tensor<16x64xbf16>
  %minus = arith.negf %right : tensor<16x64xbf16>
  %turned = tensor.concat dim(1) %minus, %left : (tensor<16x64xbf16>, tensor<16x64xbf16>) -> tensor<16x128xbf16>
  %c = tile.load %cos[%m, %c0] : !tile.view<?x128xf32> -> tensor<16x128xf32>
  %s = tile.load %sin[%m, %c0] : !tile.view<?x128xf32> -> tensor<16x128xf32>
  %xf = arith.extf %x : tensor<16x128xbf16> to tensor<16x128xf32>
  %tf = arith.extf %turned : tensor<16x128xbf16> to tensor<16x128xf32>
  %a = arith.mulf %xf, %c : tensor<16x128xf32>
  %b = arith.mulf %tf, %s : tensor<16x128xf32>
  %sum = arith.addf %a, %b : tensor<16x128xf32>
  %y = arith.truncf %sum : tensor<16x128xf32> to tensor<16x128xbf16>
  tile.store %y, %Y[%m, %c0] : tensor<16x128xbf16>, !tile.view<?x128xbf16>
  tile.return
}
