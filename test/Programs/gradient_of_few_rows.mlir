// Gradients whose loop takes 64 rows of queries beside 128 of keys: the groups divide the keys, which are the columns
// of the scores, and add their parts of dQ to memory.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// RUN: heddle-opt %s --heddle-subtile | FileCheck %s --check-prefix=PARTS
// CHECK: verified
// CUDA: Warp group 2: compute1
// PARTS: tile.dot {{.*}} tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
!q = !tile.view<?x32xf16>
tile.kernel @gradients(%Q: !q {tile.name = "Q", tile.dims = ["S", "D"]},
                       %K: !q {tile.name = "K", tile.dims = ["T", "D"]},
                       %G: !q {tile.name = "G", tile.dims = ["S", "D"]},
                       %dQ: !tile.view<?x32xf32> {tile.name = "dQ", tile.dims = ["S", "D"]},
                       %dK: !q {tile.name = "dK", tile.dims = ["T", "D"]},
                       %dV: !q {tile.name = "dV", tile.dims = ["T", "D"]})
    attributes {tile.default_dims = {S = 192, T = 200}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 128 : index
  %S = tile.dim %Q, 0 : !q
  %T = tile.dim %K, 0 : !q
  %g = arith.ceildivui %T, %bn : index
  tile.grid %g
  %p = tile.program_id 0
  %n = arith.muli %p, %bn : index
  %k = tile.load %K[%n, %c0] : !q -> tensor<128x32xf16>
  %kt = tile.transpose %k : tensor<128x32xf16> -> tensor<32x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
  %zeroq = arith.constant dense<0.0> : tensor<64x32xf32>
  %scale = arith.constant dense<0.125> : tensor<64x128xf32>
  %dk, %dv = scf.for %m = %c0 to %S step %bm iter_args(%dk0 = %zero, %dv0 = %zero)
      -> (tensor<128x32xf32>, tensor<128x32xf32>) {
    %q = tile.load %Q[%m, %c0] : !q -> tensor<64x32xf16>
    %go = tile.load %G[%m, %c0] : !q -> tensor<64x32xf16>
    %s = tile.dot %q, %kt, %zeros : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    %x = arith.mulf %s, %scale : tensor<64x128xf32>
    %t = math.tanh %x : tensor<64x128xf32>
    %th = arith.truncf %t : tensor<64x128xf32> to tensor<64x128xf16>
    %tt = tile.transpose %th : tensor<64x128xf16> -> tensor<128x64xf16>
    %dv1 = tile.dot %tt, %go, %dv0 : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %d = arith.mulf %t, %x : tensor<64x128xf32>
    %dh = arith.truncf %d : tensor<64x128xf32> to tensor<64x128xf16>
    %dt = tile.transpose %dh : tensor<64x128xf16> -> tensor<128x64xf16>
    %dk1 = tile.dot %dt, %q, %dk0 : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %dq = tile.dot %dh, %k, %zeroq : tensor<64x128xf16>, tensor<128x32xf16>, tensor<64x32xf32>
    tile.store %dq, %dQ[%m, %c0] {kind = "add"} : tensor<64x32xf32>, !tile.view<?x32xf32>
    scf.yield %dk1, %dv1 : tensor<128x32xf32>, tensor<128x32xf32>
  }
  %dkh = arith.truncf %dk : tensor<128x32xf32> to tensor<128x32xf16>
  %dvh = arith.truncf %dv : tensor<128x32xf32> to tensor<128x32xf16>
  tile.store %dkh, %dK[%n, %c0] : tensor<128x32xf16>, !q
  tile.store %dvh, %dV[%n, %c0] : tensor<128x32xf16>, !q
  tile.return
}
