// Loads, stores and tile code at both levels of a nest: A is read by two inner loops, R only after them; the second
// inner loop has no iteration at first, since its lower bound is above the upper one; the sum is carried by the outer
// loop. A is got in the outer loop, and released there behind the second inner loop, its last reader.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// CHECK: %[[A:.*]] = warp.aref "A"
// CHECK-LABEL: warp.group @compute0
// CHECK: scf.for
// CHECK-NEXT: warp.get %[[A]]
// CHECK: warp.consumed %[[A]]
// CHECK: warp.copy_out
tile.kernel @nest(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                  %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                  %R: !tile.view<?x64xf32> {tile.name = "R", tile.dims = ["M", "D"]},
                  %P: !tile.view<?x64xf16> {tile.name = "P", tile.dims = ["M", "D"]},
                  %C: !tile.view<128x64xf32> {tile.name = "C", tile.dims = ["U", "V"]})
    attributes {tile.default_dims = {M = 500, N = 130}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c384 = arith.constant 384 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %N = tile.dim %B, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %m = %c0 to %M step %c128 iter_args(%carried = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %first = scf.for %n = %c0 to %N step %c64 iter_args(%s = %carried) -> (tensor<128x64xf32>) {
      %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
      %next = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %half = arith.truncf %first : tensor<128x64xf32> to tensor<128x64xf16>
    %from = arith.subi %c384, %m : index
    %second = scf.for %n = %from to %N step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %next = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    tile.store %half, %P[%m, %c0] : tensor<128x64xf16>, !tile.view<?x64xf16>
    %r = tile.load %R[%m, %c0] : !tile.view<?x64xf32> -> tensor<128x64xf32>
    %plus = arith.addf %second, %r : tensor<128x64xf32>
    %both = arith.addf %plus, %first : tensor<128x64xf32>
    scf.yield %both : tensor<128x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<128x64xf32>
  tile.return
}
