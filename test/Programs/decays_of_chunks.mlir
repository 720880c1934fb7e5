// A number for each chunk, the sum of a loaded vector, scales what the loop carries, and its exponential what is added:
// only tiles take it, so that it stays with the groups that compute, and the loop is scheduled.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED-NOT: warning
// SCHEDULED: // loop 0: initiation interval
// RUN: heddle-opt %s --heddle-keep-on-tiles | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: tensor.extract
// KEPT: math.exp %{{.*}} : tensor<f32>
tile.kernel @decays(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                    %G: !tile.view<?xf32> {tile.name = "G", tile.dims = ["K"]},
                    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]},
                    %factor: f32 {tile.default = 0.02 : f32})
    attributes {tile.default_dims = {M = 128, N = 64, K = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %k = tile.dim %A, 1 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%c0, %i] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %g = tile.load %G[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %all = tile.reduce "add" %g axis 0 : tensor<64xf32> -> tensor<f32>
    %decay = tensor.extract %all[] : tensor<f32>
    %small = arith.mulf %decay, %factor : f32
    %grows = math.exp %small : f32
    %d = tensor.splat %small : tensor<128x64xf32>
    %e = tensor.splat %grows : tensor<128x64xf32>
    %scaled = arith.mulf %acc, %d : tensor<128x64xf32>
    %t = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %t, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %r = arith.mulf %s, %e : tensor<128x64xf32>
    %next = arith.addf %scaled, %r : tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.return
}
