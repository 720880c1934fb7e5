// Mixture of experts: rows sorted by expert, offsets from memory; a program takes blocks of rows of its expert.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @moe(%X: !tile.view<?x128xf16> {tile.name = "X", tile.dims = ["T", "K"]},
                  %W: !tile.view<?x64x128xf16> {tile.name = "W", tile.dims = ["E", "N", "K"]},
                  %off: !tile.view<?xi32> {tile.name = "off", tile.dims = ["E1"]},
                  %bias: !tile.view<?xf32> {tile.name = "bias", tile.dims = ["E"]},
                  %Y: !tile.view<?x?x64xf32> {tile.name = "Y", tile.dims = ["E", "T", "N"]})
    attributes {tile.default_dims = {T = 260, E = 3, E1 = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %K = arith.constant 128 : index
  %E = tile.dim %W, 0 : !tile.view<?x64x128xf16>
  tile.grid %E
  %e = tile.program_id 0
  %e1 = arith.addi %e, %c1 : index
  %f32 = tile.element %off[%e] : !tile.view<?xi32> -> i32
  %t32 = tile.element %off[%e1] : !tile.view<?xi32> -> i32
  %sixty = arith.constant 60 : i32
  %f60 = arith.muli %f32, %sixty : i32
  %t60 = arith.muli %t32, %sixty : i32
  %from = arith.index_cast %f60 : i32 to index
  %to = arith.index_cast %t60 : i32 to index
  %b = tile.element %bias[%e] : !tile.view<?xf32> -> f32
  %bs = tensor.splat %b : tensor<128x64xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  scf.for %m = %from to %to step %bm {
    %acc = scf.for %k = %c0 to %K step %bk iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %x = tile.load %X[%m, %k] : !tile.view<?x128xf16> -> tensor<128x64xf16>
      %w = tile.load %W[%e, %c0, %k] : !tile.view<?x64x128xf16> -> tensor<64x64xf16>
      %wt = tile.transpose %w : tensor<64x64xf16> -> tensor<64x64xf16>
      %d = tile.dot %x, %wt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %y = arith.addf %acc, %bs : tensor<128x64xf32>
    tile.store %y, %Y[%e, %m, %c0] : tensor<128x64xf32>, !tile.view<?x?x64xf32>
  }
  tile.return
}
