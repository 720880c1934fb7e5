// Stores that end where the kernel says: behind a product, in a scheduled loop, along both dimensions, before the tile.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=warp | FileCheck %s --check-prefix=WARP
// CHECK: verified
// WARP: tile.store %{{.*}} below[
// WARP: scf.if
// WARP: warp.copy_out %
// WARP: else
// WARP: tile.store %{{.*}} below[
tile.kernel @below(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %ends: !tile.view<?xi32> {tile.name = "ends", tile.dims = ["E"]},
                   %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                   %D: !tile.view<?x?x?xf32> {tile.name = "D", tile.dims = ["T", "M", "N"]})
    attributes {tile.default_dims = {M = 300, N = 136, K = 128, T = 3, E = 8}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %many = arith.constant 40 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %end32 = tile.element %ends[%pm] : !tile.view<?xi32> -> i32
  %signed = arith.index_cast %end32 : i32 to index
  %scaled = arith.muli %signed, %many : index
  %to = arith.addi %m, %scaled : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %turn = arith.divui %k, %bk : index
    tile.store %next, %D[%turn, %m, %n] below [%to, %to] : tensor<128x64xf32>, !tile.view<?x?x?xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %c = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %c, %C[%m, %n] below [%to, %N] : tensor<128x64xf16>, !tile.view<?x?xf16>
  tile.return
}
