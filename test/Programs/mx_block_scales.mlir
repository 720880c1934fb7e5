// Blocks of 32 with a power of two as scale (its exponent in a byte), values as 8-bit floats.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
!v = !tile.view<?x?xf32>
tile.kernel @mx(%X: !v {tile.name = "X", tile.dims = ["M", "N"]},
                %Q: !tile.view<?x?xf8E4M3FN> {tile.name = "Q", tile.dims = ["M", "N"]},
                %E: !tile.view<?x?xi8> {tile.name = "E", tile.dims = ["M", "NB"]})
    attributes {tile.default_dims = {M = 40, N = 256, NB = 8}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %M = tile.dim %X, 0 : !v
  %g = arith.ceildivui %M, %c16 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c16 : index
  %x = tile.load %X[%m, %c0] : !v -> tensor<16x256xf32>
  %b = tensor.expand_shape %x [[0], [1, 2]] output_shape [16, 8, 32] : tensor<16x256xf32> into tensor<16x8x32xf32>
  %ab = math.absf %b : tensor<16x8x32xf32>
  %mx = tile.reduce "max" %ab axis 2 : tensor<16x8x32xf32> -> tensor<16x8xf32>
  %bits = arith.bitcast %mx : tensor<16x8xf32> to tensor<16x8xi32>
  %k23 = arith.constant dense<23> : tensor<16x8xi32>
  %ex = arith.shrui %bits, %k23 : tensor<16x8xi32>
  %k8 = arith.constant dense<8> : tensor<16x8xi32>
  %se = arith.subi %ex, %k8 : tensor<16x8xi32>
  %e8 = arith.trunci %se : tensor<16x8xi32> to tensor<16x8xi8>
  tile.store %e8, %E[%m, %c0] : tensor<16x8xi8>, !tile.view<?x?xi8>
  %k254 = arith.constant dense<254> : tensor<16x8xi32>
  %ie = arith.subi %k254, %se : tensor<16x8xi32>
  %ib = arith.shli %ie, %k23 : tensor<16x8xi32>
  %inv = arith.bitcast %ib : tensor<16x8xi32> to tensor<16x8xf32>
  %invb = tile.broadcast %inv axis 2 : tensor<16x8xf32> -> tensor<16x8x32xf32>
  %y = arith.mulf %b, %invb : tensor<16x8x32xf32>
  %f = tensor.collapse_shape %y [[0], [1, 2]] : tensor<16x8x32xf32> into tensor<16x256xf32>
  %q = arith.truncf %f : tensor<16x256xf32> to tensor<16x256xf8E4M3FN>
  tile.store %q, %Q[%m, %c0] : tensor<16x256xf8E4M3FN>, !tile.view<?x?xf8E4M3FN>
  tile.return
}
