// Three products of one tile, spread over three groups: what one of two groups that share a function reads is also
// another group's own, so that each needs its place by name.
// RUN: heddle run %s --free-groups --extra-groups=1 --device=emulate | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @qkv(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "K"]},
                 %WQ: !tile.view<?x64xf16> {tile.name = "WQ", tile.dims = ["K", "D"]},
                 %WK: !tile.view<?x32xf16> {tile.name = "WK", tile.dims = ["K", "E"]},
                 %WV: !tile.view<?x32xf16> {tile.name = "WV", tile.dims = ["K", "E"]},
                 %Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["M", "D"]},
                 %KK: !tile.view<?x32xf16> {tile.name = "KK", tile.dims = ["M", "E"]},
                 %V: !tile.view<?x32xf16> {tile.name = "V", tile.dims = ["M", "E"]})
    attributes {tile.default_dims = {M = 140, K = 150}} {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %K = tile.dim %X, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %zq = arith.constant dense<0.0> : tensor<128x64xf32>
  %zk = arith.constant dense<0.0> : tensor<128x32xf32>
  %r:3 = scf.for %k = %c0 to %K step %c48
      iter_args(%a = %zq, %b = %zk, %c = %zk) -> (tensor<128x64xf32>, tensor<128x32xf32>, tensor<128x32xf32>) {
    %x = tile.load %X[%m, %k] : !tile.view<?x?xf16> -> tensor<128x48xf16>
    %wq = tile.load %WQ[%k, %c0] : !tile.view<?x64xf16> -> tensor<48x64xf16>
    %wk = tile.load %WK[%k, %c0] : !tile.view<?x32xf16> -> tensor<48x32xf16>
    %wv = tile.load %WV[%k, %c0] : !tile.view<?x32xf16> -> tensor<48x32xf16>
    %q = tile.dot %x, %wq, %a : tensor<128x48xf16>, tensor<48x64xf16>, tensor<128x64xf32>
    %kk = tile.dot %x, %wk, %b : tensor<128x48xf16>, tensor<48x32xf16>, tensor<128x32xf32>
    %v = tile.dot %x, %wv, %c : tensor<128x48xf16>, tensor<48x32xf16>, tensor<128x32xf32>
    scf.yield %q, %kk, %v : tensor<128x64xf32>, tensor<128x32xf32>, tensor<128x32xf32>
  }
  %q1 = arith.truncf %r#0 : tensor<128x64xf32> to tensor<128x64xf16>
  %k1 = arith.truncf %r#1 : tensor<128x32xf32> to tensor<128x32xf16>
  %v1 = arith.truncf %r#2 : tensor<128x32xf32> to tensor<128x32xf16>
  tile.store %q1, %Q[%m, %c0] : tensor<128x64xf16>, !tile.view<?x64xf16>
  tile.store %k1, %KK[%m, %c0] : tensor<128x32xf16>, !tile.view<?x32xf16>
  tile.store %v1, %V[%m, %c0] : tensor<128x32xf16>, !tile.view<?x32xf16>
  tile.return
}
