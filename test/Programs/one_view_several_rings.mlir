// Rings of one view: two loads before, two loops of tiles of their own sizes behind each other, and the same tile of it
// in the outer loop.
// Every ring of a view has its own bytes in the printed kernel.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK-DAG: constexpr uint32_t kSmem_X = 0;
// CHECK-DAG: constexpr uint32_t kSmem_X_2 = 8192;
// CHECK-DAG: constexpr uint32_t kSmem_XW0 = 16384;
// CHECK-DAG: constexpr uint32_t kSmem_XW_2_0 = 81920;
// CHECK: X = smem + kSmem_X;
// CHECK: X_2 = smem + kSmem_X_2;
// CHECK: (smem + kSmem_XW0)
// CHECK: (smem + kSmem_XW_2_0)
tile.kernel @rings(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "K"]},
                   %W: !tile.view<?x?xf16> {tile.name = "W", tile.dims = ["N", "K"]},
                   %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "E"]})
    attributes {tile.default_dims = {M = 64, N = 64, K = 384}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = tile.dim %X, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pairs = arith.divui %K, %c128 : index
  %half = arith.muli %pairs, %c64 : index
  %x0 = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %x1 = tile.load %X[%c0, %c64] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %d = arith.subf %x0, %x1 : tensor<64x64xf16>
  %start = arith.extf %d : tensor<64x64xf16> to tensor<64x64xf32>
  %low = scf.for %k = %c0 to %half step %c64 iter_args(%s = %start) -> (tensor<64x64xf32>) {
    %x = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %w = tile.load %W[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %wt = tile.transpose %w : tensor<64x64xf16> -> tensor<64x64xf16>
    %n = tile.dot %x, %wt, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  }
  %relu = arith.maximumf %low, %zero : tensor<64x64xf32>
  %high = scf.for %k = %half to %K step %c128 iter_args(%s = %relu) -> (tensor<64x64xf32>) {
    %x = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %w = tile.load %W[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %wt = tile.transpose %w : tensor<64x128xf16> -> tensor<128x64xf16>
    %n = tile.dot %x, %wt, %s : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  }
  tile.store %high, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
