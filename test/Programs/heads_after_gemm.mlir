// A product whose columns are heads: each head of each row is normalised, in another shape of the accumulator.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// CHECK: verified
tile.kernel @heads(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x128xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                   %C: !tile.view<?x128xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, K = 136}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x128xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %b, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %h = tensor.expand_shape %acc [[0], [1, 2]] output_shape [128, 4, 32] : tensor<128x128xf32> into tensor<128x4x32xf32>
  %squares = arith.mulf %h, %h : tensor<128x4x32xf32>
  %length = tile.reduce "add" %squares axis 2 : tensor<128x4x32xf32> -> tensor<128x4xf32>
  %small = arith.constant dense<1.0e-3> : tensor<128x4xf32>
  %safe = arith.addf %length, %small : tensor<128x4xf32>
  %r = math.rsqrt %safe : tensor<128x4xf32>
  %rs = tile.broadcast %r axis 2 : tensor<128x4xf32> -> tensor<128x4x32xf32>
  %y = arith.mulf %h, %rs : tensor<128x4x32xf32>
  %flat = tensor.collapse_shape %y [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
  %out = arith.truncf %flat : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %out, %C[%m, %c0] : tensor<128x128xf16>, !tile.view<?x128xf16>
  tile.return
}
