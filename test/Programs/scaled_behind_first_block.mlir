// Sums that each block but the first scales before it adds to them: a choice by a scalar that differs from iteration to
// iteration, and is known in the iterations before the loop.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @scaled(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                    %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                    %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                    %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]},
                    %f: f32 {tile.name = "f", tile.default = 0.75 : f32})
    attributes {tile.default_dims = {S = 300}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %n = %c0 to %S step %c64 iter_args(%o = %zero) -> (tensor<64x64xf32>) {
    %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %factor = tensor.splat %f : tensor<64x64xf32>
    %scaled = arith.mulf %o, %factor : tensor<64x64xf32>
    %later = arith.cmpi sgt, %n, %c0 : index
    %begin = arith.select %later, %scaled, %o : tensor<64x64xf32>
    %v = tile.load %V[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %h, %v, %begin : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %O[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
