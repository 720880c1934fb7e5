// Products that are accumulated into and needed again: in the scheduled loop, through its iter_arg, behind it, and one
// of an outer block.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// The product of the outer block takes 32 registers while the loop runs (ptxas spilled 188 bytes beside a schedule that
// had 48 for everything but the loop's own tiles).
// RUN: heddle compile %s --emit=problem | FileCheck %s --check-prefix=PROBLEM
// PROBLEM: registers {{.*}}overhead=80
// CHECK-NOT: acc(
// CHECK: arith.addf
tile.kernel @twice(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                   %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                   %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "E"]},
                   %S: !tile.view<?x64xf32> {tile.name = "S", tile.dims = ["M", "E"]})
    attributes {tile.default_dims = {M = 64, N = 320}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.dim %B, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %loaded = tile.load %S[%c0, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  %first = tile.dot %a, %a, %loaded : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %sum, %spread = scf.for %n = %c0 to %N step %c64
      iter_args(%s = %zero, %t = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %p = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %q = tile.dot %a, %b, %p : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %d = arith.subf %q, %p : tensor<64x64xf32>
    %u = arith.addf %s, %d : tensor<64x64xf32>
    %v = tile.dot %a, %b, %first : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %w = arith.addf %t, %v : tensor<64x64xf32>
    scf.yield %u, %w : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %again = tile.dot %a, %a, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %both = arith.addf %again, %sum : tensor<64x64xf32>
  %all = arith.addf %both, %spread : tensor<64x64xf32>
  tile.store %all, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
