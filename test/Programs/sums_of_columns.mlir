// Sums of columns of a product, and of their squares, that are added in memory: each warp group adds those of its rows.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: Warp groups 1, 2: compute0, compute1
tile.kernel @sums_of_columns(%A: !tile.view<?x?xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
                             %B: !tile.view<?x?xbf16> {tile.name = "B", tile.dims = ["N", "K"]},
                             %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["M", "N"]},
                             %S: !tile.view<?xf32> {tile.name = "S", tile.dims = ["N"]},
                             %Q: !tile.view<?xf32> {tile.name = "Q", tile.dims = ["N"]})
    attributes {tile.default_dims = {M = 260, N = 200, K = 128}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %i = tile.program_id 0
  %j = tile.program_id 1
  %m = arith.muli %i, %c128 : index
  %n = arith.muli %j, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %half = arith.constant dense<0.5> : tensor<128xf32>
  %c = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %bt = tile.transpose %b : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %h = arith.truncf %c : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %h, %C[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  %s = tile.reduce "add" %c axis 0 : tensor<128x128xf32> -> tensor<128xf32>
  %scaled = arith.mulf %s, %half : tensor<128xf32>
  tile.store %scaled, %S[%n] {kind = "add"} : tensor<128xf32>, !tile.view<?xf32>
  %square = arith.mulf %c, %c : tensor<128x128xf32>
  %q = tile.reduce "add" %square axis 0 : tensor<128x128xf32> -> tensor<128xf32>
  tile.store %q, %Q[%n] {kind = "add"} : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
