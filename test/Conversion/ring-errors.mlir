// RUN: heddle-opt %s --heddle-tile-to-warp -split-input-file -verify-diagnostics
// Rings that do not fit shared memory, outside of any scheduled loop.

// expected-error @below {{infeasible: shared memory: in the order of the schedules rings need 393216 bytes}}
tile.kernel @k(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  tile.grid %one
  // expected-note @below {{needs 1 x}}
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x1024xf16>
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<1024x128xf16>
  %d = tile.dot %a, %b, %zero : tensor<64x1024xf16>, tensor<1024x128xf16>, tensor<64x128xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x128xf32>, !tile.view<?x?xf32>
  tile.return
}
