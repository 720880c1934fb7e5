// RUN: heddle-opt %s --heddle-subtile=groups=2 -split-input-file -verify-diagnostics
// What cannot be divided over warp groups.

tile.kernel @blob(%Y: !tile.view<?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  // expected-error @below {{expected a constant whose elements are written out, got dense_resource<two>}}
  %d = arith.constant dense_resource<two> : tensor<2xf32>
  tile.store %d, %Y[%c0] : tensor<2xf32>, !tile.view<?xf32>
  tile.return
}

{-#
  dialect_resources: {
    builtin: {
      two: "0x040000000000803F00000040"
    }
  }
#-}
