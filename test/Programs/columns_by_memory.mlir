// Tiles at columns that memory names, for products: threads copy them, 16 bytes at a time where they begin at such.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::copyAsync
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --input shift=arange\(0,1\) | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --input shift=arange\(3,1\) | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @shifted(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %shift: !tile.view<?xi32> {tile.name = "shift", tile.dims = ["S"]},
                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                     %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 72, K = 136, S = 1}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c7 = arith.constant 7 : i32
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  %h = arith.ceildivui %N, %c64 : index
  tile.grid %g, %h
  %p = tile.program_id 0
  %q = tile.program_id 1
  %m = arith.muli %p, %c128 : index
  %n = arith.muli %q, %c64 : index
  %s0 = tile.element %shift[%c0] : !tile.view<?xi32> -> i32
  %s1 = arith.andi %s0, %c7 : i32
  %by = arith.index_cast %s1 : i32 to index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %at = arith.addi %k, %by : index
    %a = tile.load %A[%m, %at] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %at] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %acc, %C[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.return
}
