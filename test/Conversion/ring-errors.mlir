// RUN: heddle-opt %s --heddle-tile-to-warp -split-input-file -verify-diagnostics
// Rings that do not fit shared memory, outside of any scheduled loop.

// expected-error @below {{infeasible: shared memory: rings need at least 262144 bytes}}
tile.kernel @k(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  tile.grid %one
  // expected-note @below {{needs 1 x 131072}}
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<128x256xf32>
  // expected-note @below {{needs 1 x 131072}}
  %b = tile.load %X[%c256, %c0] : !tile.view<?x?xf32> -> tensor<128x256xf32>
  %d = arith.addf %a, %b : tensor<128x256xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<128x256xf32>, !tile.view<?x?xf32>
  tile.return
}
