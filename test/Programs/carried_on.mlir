// Values carried from one iter_arg to another: a sum of every other iteration, and scalars of two iterations before.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: __global__
tile.kernel @carried(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                     %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]},
                     %D: !tile.view<?x?xf32> {tile.name = "D", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128, N = 64, K = 448}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %one = arith.constant dense<1.0> : tensor<128x64xf32>
  %acc, %acc2, %kept, %p1, %p2 = scf.for %k = %c0 to %K step %c64
      iter_args(%s = %zero, %s2 = %one, %same = %one, %k1 = %c0, %k2 = %c64)
      -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, index, index) {
    %a = tile.load %A[%c0, %k2] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %n = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %s2, %n, %same, %k, %k1 : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, index, index
  }
  %sum = arith.addf %acc, %kept : tensor<128x64xf32>
  tile.store %sum, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.store %acc2, %D[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.return
}
