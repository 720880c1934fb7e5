// C = C + A B in parts of the contraction, each of which updates C: a part is loaded behind the store of the one before,
// also where the epilogue runs in parts of its columns.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: echo '{kernel = {parts = [32, 2]}}' > %t.plan
// RUN: heddle run %s --plan=%t.plan --device=sim | FileCheck %s
// RUN: heddle run %s --plan=%t.plan --device=emulate --interleavings=2 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @update(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 144, K = 384}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %part = arith.constant 128 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xf32>
  %N = tile.dim %C, 1 : !tile.view<?x?xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bm : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bm : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  scf.for %k0 = %c0 to %K step %part {
    %end = arith.addi %k0, %part : index
    %acc = scf.for %k = %k0 to %end step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
      %s = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %old = tile.load %C[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %new = arith.addf %old, %acc : tensor<128x128xf32>
    tile.store %new, %C[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
