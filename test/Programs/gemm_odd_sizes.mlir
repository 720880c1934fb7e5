// A product of tiles of odd sizes: 100 x 20 with a contraction of 40.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// RUN: heddle compile %s --emit=tile 2>&1 >/dev/null | FileCheck %s --check-prefix=FILLED
// FILLED: gemm_odd_sizes.mlir:[[#]]:[[#]]: warning: expected sizes of tiles that products have, since others are filled up: one of
// FILLED-SAME: 128 x 24 x 64 (rows, columns, contraction) is computed for 100 x 20 x 64
// CHECK: verified
// CUDA: __global__
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 107 : i64, N = 44 : i64, K = 100 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 40 : index
  %bm = arith.constant 100 : index
  %bn = arith.constant 20 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xf16>
  %N = tile.dim %C, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<100x20xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<100x20xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<100x40xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<20x40xf16>
    %bt = tile.transpose %b : tensor<20x40xf16> -> tensor<40x20xf16>
    %next = tile.dot %a, %bt, %sum : tensor<100x40xf16>, tensor<40x20xf16>, tensor<100x20xf32>
    scf.yield %next : tensor<100x20xf32>
  }
  %c = arith.truncf %acc : tensor<100x20xf32> to tensor<100x20xf16>
  tile.store %c, %C[%m, %n] : tensor<100x20xf16>, !tile.view<?x?xf16>
  tile.return
}
