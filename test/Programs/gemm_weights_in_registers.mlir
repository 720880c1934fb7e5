// A product with weights of 8 bits runs transposed, the weights in registers. A bias for each column and a residual
// stand behind the loop.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: transpose_products = true
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// A group's part of the tile leaves in parts of 64 rows, and the two groups issue products in order.
// CUDA: kSmem_store0_0 = {{.*}} // 64x64 f16
// CUDA: kBar_order
// CUDA: hd::wgmmaRS<128, hd::f16, hd::f16, 0, 0>
// The next weights are written behind the product that reads the last.
// RUN: heddle compile %s --emit=problem | FileCheck %s --check-prefix=PROBLEM
// PROBLEM: edge dot_g0 -> sitofp_g0 {{.*}}distance=1{{.*}} order
// RUN: echo '{ kernel = {transpose_products = false} }' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | FileCheck %s --check-prefix=AS-WRITTEN
// AS-WRITTEN-NOT: wgmmaRS
// RUN: heddle run %s --plan=%t.plan --device=sim | FileCheck %s
tile.kernel @weights(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "K"]},
                     %W: !tile.view<?x?xi8> {tile.name = "W", tile.dims = ["N", "K"]},
                     %bias: !tile.view<?xf32> {tile.name = "bias", tile.dims = ["N"]},
                     %R: !tile.view<?x?xf16> {tile.name = "R", tile.dims = ["M", "N"]},
                     %Y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 136, N = 264, K = 160}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %W, 0 : !tile.view<?x?xi8>
  %K = tile.dim %X, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %X[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %q = tile.load %W[%n, %k] : !tile.view<?x?xi8> -> tensor<128x64xi8>
    %w = arith.sitofp %q : tensor<128x64xi8> to tensor<128x64xf16>
    %wt = tile.transpose %w : tensor<128x64xf16> -> tensor<64x128xf16>
    %out = tile.dot %x, %wt, %in : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %out : tensor<128x128xf32>
  }
  %b = tile.load %bias[%n] : !tile.view<?xf32> -> tensor<128xf32>
  %columns = tile.broadcast %b axis 0 : tensor<128xf32> -> tensor<128x128xf32>
  %r = tile.load %R[%m, %n] : !tile.view<?x?xf16> -> tensor<128x128xf16>
  %rest = arith.extf %r : tensor<128x128xf16> to tensor<128x128xf32>
  %biased = arith.addf %sum, %columns : tensor<128x128xf32>
  %all = arith.addf %biased, %rest : tensor<128x128xf32>
  %y = arith.truncf %all : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %y, %Y[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
