// Products of f32 tiles by tf32 whose operands do not lie along the contraction: they are turned in registers.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
// Each of two groups turns half of B for both.
// RUN: heddle compile %s --emit=warp | FileCheck %s --check-prefix=PARTS
// PARTS: warp.aref "stage0_{{[0-9]+}}" : <2, [tensor<128x16xf32>]>
// PARTS: warp.aref "stage1_{{[0-9]+}}" : <2, [tensor<128x16xf32>]>
tile.kernel @gemm(%A: !tile.view<?x?xf32> {tile.name = "A", tile.dims = ["K", "M"]},
                  %B: !tile.view<?x?xf32> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 248 : i64, N = 136 : i64, K = 96 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 32 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xf32>
  %N = tile.dim %C, 1 : !tile.view<?x?xf32>
  %K = tile.dim %A, 0 : !tile.view<?x?xf32>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %at = tile.load %A[%k, %m] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %a = tile.transpose %at : tensor<32x128xf32> -> tensor<128x32xf32>
    %b = tile.load %B[%k, %n] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %next = tile.dot %a, %b, %sum : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %acc, %C[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
