// RUN: heddle-opt %s --heddle-select-instructions -split-input-file -verify-diagnostics
// Dots that the tensor core does not take, and constants that no thread can make by itself.

tile.kernel @contraction(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x8xf16>
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<8x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expected a contraction size divisible by 16, got 8}}
  %d = tile.dot %a, %b, %zero : tensor<64x8xf16>, tensor<8x64xf16>, tensor<64x64xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @width(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x16xf16>
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x4xf16>
  %zero = arith.constant dense<0.0> : tensor<64x4xf32>
  // expected-error @below {{expected a result width divisible by 8, got 4}}
  %d = tile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x4xf16>, tensor<64x4xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x4xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @rows(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x16xf16>
  %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<16x8xf16>
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  // expected-error @below {{expected an operand whose rows in memory are a multiple of 32 bytes, got 16}}
  %d = tile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x8xf16>, tensor<64x8xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x8xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @types(%X: !tile.view<?x?xf64>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf64> -> tensor<64x64xf64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expected f16, bf16, f8, f32 or i8 operands, got 'f64'}}
  %d = tile.dot %x, %x, %zero : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @accumulator(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf64>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf64>
  // expected-error @below {{expected an accumulator of f32, f16 or bf16, or of i32 for i8 operands, got 'f64'}}
  %d = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf64>
  tile.store %d, %Y[%c0, %c0] : tensor<64x64xf64>, !tile.view<?x?xf64>
  tile.return
}
