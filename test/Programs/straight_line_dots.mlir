// Dots outside innermost loops: before, between and after the inner loops, with a row statistic of an earlier loop used
// in a later one.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: __global__
tile.kernel @dots(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                  %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                  %R: !tile.view<?x64xf16> {tile.name = "R", tile.dims = ["L", "D"]},
                  %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 128, N = 192, L = 192}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %N = tile.dim %B, 0 : !tile.view<?x64xf16>
  %L = tile.dim %R, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %low = arith.constant dense<-1.0> : tensor<128xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %r = scf.for %l = %c0 to %L step %c64 iter_args(%t = %zero) -> (tensor<128x64xf32>) {
    %x = tile.load %R[%l, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %before = tile.dot %a, %x, %t : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %max = scf.for %n = %c0 to %N step %c64 iter_args(%m = %low) -> (tensor<128xf32>) {
      %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
      %p = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      %rows = tile.reduce "max" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
      %next = arith.maximumf %m, %rows : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    %acc = scf.for %n = %c0 to %N step %c64 iter_args(%s = %before) -> (tensor<128x64xf32>) {
      %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
      %p = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      %w = tile.broadcast %max axis 1 : tensor<128xf32> -> tensor<128x64xf32>
      %d = arith.subf %p, %w : tensor<128x64xf32>
      %next = arith.addf %s, %d : tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    %xt = tile.transpose %x : tensor<64x64xf16> -> tensor<64x64xf16>
    %z = tile.dot %a, %xt, %acc : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %z : tensor<128x64xf32>
  }
  tile.store %r, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
