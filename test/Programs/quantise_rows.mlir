// Rows to 8-bit floats with a scale a row, and to integers of 8 bits.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
tile.kernel @quant(%X: !tile.view<?x256xbf16> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?x256xf8E4M3FN> {tile.name = "Y", tile.dims = ["M", "N"]},
                  %Z: !tile.view<?x256xi8> {tile.name = "Z", tile.dims = ["M", "N"]},
                  %S: !tile.view<?xf32> {tile.name = "S", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 40}} {
  %c0 = arith.constant 0 : index
  %r = arith.constant 32 : index
  %M = tile.dim %X, 0 : !tile.view<?x256xbf16>
  %g = arith.ceildivui %M, %r : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %r : index
  %x0 = tile.load %X[%m, %c0] : !tile.view<?x256xbf16> -> tensor<32x256xbf16>
  %x = arith.extf %x0 : tensor<32x256xbf16> to tensor<32x256xf32>
  %ab = math.absf %x : tensor<32x256xf32>
  %mx = tile.reduce "max" %ab axis 1 : tensor<32x256xf32> -> tensor<32xf32>
  %k = arith.constant dense<448.0> : tensor<32xf32>
  %sc = arith.divf %mx, %k : tensor<32xf32>
  %inv = arith.divf %k, %mx : tensor<32xf32>
  %ivb = tile.broadcast %inv axis 1 : tensor<32xf32> -> tensor<32x256xf32>
  %q = arith.mulf %x, %ivb : tensor<32x256xf32>
  %h = arith.truncf %q : tensor<32x256xf32> to tensor<32x256xf8E4M3FN>
  %qq = arith.constant dense<0.28> : tensor<32x256xf32>
  %q2 = arith.mulf %q, %qq : tensor<32x256xf32>
  %rr = math.roundeven %q2 : tensor<32x256xf32>
  %i8 = arith.fptosi %rr : tensor<32x256xf32> to tensor<32x256xi8>
  tile.store %h, %Y[%m, %c0] : tensor<32x256xf8E4M3FN>, !tile.view<?x256xf8E4M3FN>
  tile.store %i8, %Z[%m, %c0] : tensor<32x256xi8>, !tile.view<?x256xi8>
  tile.store %sc, %S[%m] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
