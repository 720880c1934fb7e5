// The row maximum of the iteration before is read beside the new one: an iter_arg that another one yields, computed
// without a dot.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: __global__
tile.kernel @statistics(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["M", "D"]},
                        %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["N", "D"]},
                        %O: !tile.view<?x32xf32> {tile.name = "O", tile.dims = ["M", "E"]})
    attributes {tile.default_dims = {M = 128, N = 224}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %N = tile.dim %K, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %none = arith.constant dense<-1.0> : tensor<128xf32>
  %two = arith.constant dense<-2.0> : tensor<128xf32>
  %q = tile.load %Q[%c0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %acc, %m1, %m2 = scf.for %n = %c0 to %N step %c32 iter_args(%s = %zero, %last = %none, %before = %two)
      -> (tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>) {
    %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
    %kt = tile.transpose %k : tensor<32x64xf16> -> tensor<64x32xf16>
    %p = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %m = tile.reduce "max" %p axis 1 : tensor<128x32xf32> -> tensor<128xf32>
    %d = arith.subf %m, %before : tensor<128xf32>
    %w = tile.broadcast %d axis 1 : tensor<128xf32> -> tensor<128x32xf32>
    %x = arith.mulf %p, %w : tensor<128x32xf32>
    %t = arith.addf %s, %x : tensor<128x32xf32>
    scf.yield %t, %m, %last : tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>
  }
  %both = arith.addf %m1, %m2 : tensor<128xf32>
  %wide = tile.broadcast %both axis 1 : tensor<128xf32> -> tensor<128x32xf32>
  %out = arith.addf %acc, %wide : tensor<128x32xf32>
  tile.store %out, %O[%c0, %c0] : tensor<128x32xf32>, !tile.view<?x32xf32>
  tile.return
}
