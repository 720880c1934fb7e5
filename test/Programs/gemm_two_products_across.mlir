// Two products of tf32 whose right operands are stored K x N add to the same sums, which begin with ones: both run
// transposed.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// Odd lanes read two rows the other way round: no two lanes meet in a bank.
// CUDA: = (lane & 1) ? second{{[0-9]*}} : first{{[0-9]*}};
// CUDA: hd::wgmmaRS<64, hd::tf32, hd::tf32, 0, 0>
tile.kernel @gemm(%A: !tile.view<?x?xf32> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf32> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["K", "N"]},
                  %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 72, N = 136, K = 80}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 32 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf32>
  %N = tile.dim %B, 1 : !tile.view<?x?xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %ones = arith.constant dense<1.0> : tensor<64x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %ones) -> (tensor<64x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %b = tile.load %B[%k, %n] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %c = tile.load %C[%k, %n] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %first = tile.dot %a, %b, %in : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
    %second = tile.dot %a, %c, %first : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
    scf.yield %second : tensor<64x128xf32>
  }
  tile.store %sum, %Y[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32>
  tile.return
}
