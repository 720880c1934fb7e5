// Sixteen gathered rows times weights of 8 bits: computed transposed, with the weights in registers and the rows, which
// threads copy, in shared memory.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::wgmmaRS<16, hd::f16, hd::f16, 0, 0>
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["R", "K"]},
                  %I: !tile.view<?xi32> {tile.name = "I", tile.dims = ["M"]},
                  %W: !tile.view<?x?xi8> {tile.name = "W", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {R = 14, M = 40, N = 136, K = 160}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 16 : index
  %bn = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xf32>
  %N = tile.dim %C, 1 : !tile.view<?x?xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %rows = tile.load %I[%m] : !tile.view<?xi32> -> tensor<16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<16x128xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
    %q = tile.load %W[%n, %k] : !tile.view<?x?xi8> -> tensor<128x64xi8>
    %w = arith.sitofp %q : tensor<128x64xi8> to tensor<128x64xf16>
    %wt = tile.transpose %w : tensor<128x64xf16> -> tensor<64x128xf16>
    %out = tile.dot %a, %wt, %in : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>
    scf.yield %out : tensor<16x128xf32>
  }
  tile.store %sum, %C[%m, %n] : tensor<16x128xf32>, !tile.view<?x?xf32>
  tile.return
}
