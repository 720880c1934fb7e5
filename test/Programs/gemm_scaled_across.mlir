// A scaled left operand of 16 bits that is stored K x M: threads read it by ldmatrix, which transposes.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::ldmatrix4Trans(
// CUDA: hd::wgmmaRS<
// Its sums fit the registers of one group of warps: some tests run every program with a single group.
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["K", "M"]},
    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 176, N = 304, K = 224}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %M = tile.dim %A, 1 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 0 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc:1 = scf.for %k = %c0 to %K step %bk iter_args(%s0 = %zero) -> (tensor<128x128xf32>) {
    %v1 = tile.load %A[%k, %m] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %v2 = tile.transpose %v1 : tensor<64x128xf16> -> tensor<128x64xf16>
    %v3 = arith.extf %v2 : tensor<128x64xf16> to tensor<128x64xf32>
    %v4 = arith.constant dense<0.5> : tensor<128x64xf32>
    %v5 = arith.mulf %v3, %v4 : tensor<128x64xf32>
    %v6 = arith.truncf %v5 : tensor<128x64xf32> to tensor<128x64xf16>
    %v7 = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %v8 = tile.transpose %v7 : tensor<128x64xf16> -> tensor<64x128xf16>
    %v9 = tile.dot %v6, %v8, %s0 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %v9 : tensor<128x128xf32>
  }
  %v10 = arith.truncf %acc#0 : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %v10, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
