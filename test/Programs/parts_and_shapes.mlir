// Parts at corners that are not constant or not aligned, parts of lower rank, tiles of bytes put together of three, and
// any other shape.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// CHECK: verified
tile.kernel @parts(%X: !tile.view<?x256xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                   %at: !tile.view<?xi32> {tile.name = "at", tile.dims = ["M"]},
                   %B: !tile.view<?x32xi8> {tile.name = "B", tile.dims = ["M", "E"]},
                   %Y: !tile.view<?x64xf16> {tile.name = "Y", tile.dims = ["M", "H"]},
                   %W: !tile.view<?x64xi8> {tile.name = "W", tile.dims = ["M", "F"]},
                   %V: !tile.view<?x8x32xf32> {tile.name = "V", tile.dims = ["M", "G", "E"]},
                   %U: !tile.view<?x128xf16> {tile.name = "U", tile.dims = ["M", "I"]})
    attributes {tile.default_dims = {M = 16}} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %M = tile.dim %X, 0 : !tile.view<?x256xf16>
  %g = arith.ceildivui %M, %c8 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c8 : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x256xf16> -> tensor<8x256xf16>

  // a corner from memory, of something computed element by element; then a row of it
  %ids = tile.load %at[%m] : !tile.view<?xi32> -> tensor<8xi32>
  %id = tensor.extract %ids[%c0] : tensor<8xi32>
  %low = arith.constant 127 : i32
  %masked = arith.andi %id, %low : i32
  %corner = arith.index_cast %masked : i32 to index
  %twice = arith.addf %x, %x : tensor<8x256xf16>
  %part = tensor.extract_slice %twice[0, %corner] [8, 64] [1, 1] : tensor<8x256xf16> to tensor<8x64xf16>
  %row = tensor.extract_slice %part[3, 0] [1, 64] [1, 1] : tensor<8x64xf16> to tensor<64xf16>
  %rows = tile.broadcast %row axis 0 : tensor<64xf16> -> tensor<8x64xf16>
  %y = arith.addf %part, %rows : tensor<8x64xf16>
  tile.store %y, %Y[%m, %c0] : tensor<8x64xf16>, !tile.view<?x64xf16>

  // bytes: 16 + 32 + 16
  %b = tile.load %B[%m, %c0] : !tile.view<?x32xi8> -> tensor<8x32xi8>
  %b0 = tensor.extract_slice %b[0, 0] [8, 16] [1, 1] : tensor<8x32xi8> to tensor<8x16xi8>
  %b1 = tensor.extract_slice %b[0, 16] [8, 16] [1, 1] : tensor<8x32xi8> to tensor<8x16xi8>
  %w = tensor.concat dim(1) %b1, %b, %b0 : (tensor<8x16xi8>, tensor<8x32xi8>, tensor<8x16xi8>) -> tensor<8x64xi8>
  tile.store %w, %W[%m, %c0] : tensor<8x64xi8>, !tile.view<?x64xi8>

  // a shape that neither splits nor joins: through a line
  %shape = arith.constant dense<[8, 32, 8]> : tensor<3xindex>
  %wide = arith.extf %x : tensor<8x256xf16> to tensor<8x256xf32>
  %v = tensor.expand_shape %wide [[0], [1, 2]] output_shape [8, 8, 32] : tensor<8x256xf32> into tensor<8x8x32xf32>
  %u = tensor.reshape %v(%shape) : (tensor<8x8x32xf32>, tensor<3xindex>) -> tensor<8x32x8xf32>
  %sums = tile.reduce "add" %u axis 2 : tensor<8x32x8xf32> -> tensor<8x32xf32>
  %all = tile.broadcast %sums axis 1 : tensor<8x32xf32> -> tensor<8x8x32xf32>
  %more = arith.addf %v, %all : tensor<8x8x32xf32>
  tile.store %more, %V[%m, %c0, %c0] : tensor<8x8x32xf32>, !tile.view<?x8x32xf32>

  // one piece of several, over a tile that is not zero
  %square = arith.mulf %x, %x : tensor<8x256xf16>
  %half = tensor.extract_slice %square[0, 96] [8, 128] [1, 1] : tensor<8x256xf16> to tensor<8x128xf16>
  %mid = tensor.extract_slice %x[0, 32] [8, 64] [1, 1] : tensor<8x256xf16> to tensor<8x64xf16>
  %put = tensor.insert_slice %mid into %half[0, 32] [8, 64] [1, 1] : tensor<8x64xf16> into tensor<8x128xf16>
  tile.store %put, %U[%m, %c0] : tensor<8x128xf16>, !tile.view<?x128xf16>
  tile.return
}
