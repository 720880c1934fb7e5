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

// -----

// The type of operands is wrong whatever their sizes: a product of few rows is refused for it as well.
tile.kernel @types(%X: !tile.view<?x?xf64>, %Y: !tile.view<?x?xf64>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf64> -> tensor<16x16xf64>
  %zero = arith.constant dense<0.0> : tensor<16x16xf64>
  // expected-error @below {{expected f16, bf16, f8, f32 or i8 operands, got 'f64'}}
  %d = tile.dot %x, %x, %zero : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  tile.store %d, %Y[%c0, %c0] : tensor<16x16xf64>, !tile.view<?x?xf64>
  tile.return
}
