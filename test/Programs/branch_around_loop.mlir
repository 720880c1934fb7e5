// Two accumulators that a branch exchanges, in a sequential loop with a scheduled one inside the branch.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @swap(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                  %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                  %C: !tile.view<128x64xf32> {tile.name = "C", tile.dims = ["U", "V"]},
                  %E: !tile.view<128x64xf32> {tile.name = "E", tile.dims = ["U", "V"]})
    attributes {tile.default_dims = {M = 600, N = 200}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %N = tile.dim %B, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x, %y = scf.for %m = %c0 to %M step %c128 iter_args(%p = %zero, %q = %zero)
      -> (tensor<128x64xf32>, tensor<128x64xf32>) {
    %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %i = arith.divui %m, %c128 : index
    %odd = arith.remui %i, %c2 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    %pp, %qq = scf.if %is -> (tensor<128x64xf32>, tensor<128x64xf32>) {
      %s = scf.for %n = %c0 to %N step %c64 iter_args(%s = %p) -> (tensor<128x64xf32>) {
        %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
        %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
        %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
        scf.yield %d : tensor<128x64xf32>
      }
      scf.yield %q, %s : tensor<128x64xf32>, tensor<128x64xf32>
    } else {
      %f = arith.extf %a : tensor<128x64xf16> to tensor<128x64xf32>
      %h = arith.addf %f, %q : tensor<128x64xf32>
      scf.yield %p, %h : tensor<128x64xf32>, tensor<128x64xf32>
    }
    scf.yield %pp, %qq : tensor<128x64xf32>, tensor<128x64xf32>
  }
  tile.store %x, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<128x64xf32>
  tile.store %y, %E[%c0, %c0] : tensor<128x64xf32>, !tile.view<128x64xf32>
  tile.return
}
