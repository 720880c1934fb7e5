// RUN: heddle-opt %s --heddle-subtile=groups=2 -split-input-file -verify-diagnostics
// What cannot be divided over warp groups.

tile.kernel @k(%Y: !tile.view<?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  // expected-error @below {{expected a splat constant, got different elements}}
  %d = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  tile.store %d, %Y[%c0] : tensor<2xf32>, !tile.view<?xf32>
  tile.return
}
