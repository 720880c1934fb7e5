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

// -----

// Sums of columns up to each row need the rows of all groups.
tile.kernel @sums(%A: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %c = tile.dot %a, %b, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
  // expected-error @below {{cannot divide this program over warp groups: it folds along the divided dimension 0}}
  %s = tile.scan "add" %c axis 0 : tensor<128x64xf32>
  tile.store %s, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

// A product beside its own transpose has rows and columns divided.
tile.kernel @both(%A: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c = tile.dot %a, %b, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %t = tile.transpose %c : tensor<128x128xf32> -> tensor<128x128xf32>
  // expected-error @below {{cannot divide this program over warp groups: expected dimension 1 of a tile to be divided}}
  %s = arith.addf %c, %t : tensor<128x128xf32>
  tile.store %s, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
