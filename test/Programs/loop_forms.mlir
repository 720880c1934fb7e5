// A loop over i32, one whose step is an argument, an accumulator that starts as a loaded tile, a load that nobody uses.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: __global__
tile.kernel @forms(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %S: !tile.view<?x?xf32> {tile.name = "S", tile.dims = ["M", "N"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]},
                   %step: index {tile.name = "step", tile.default = 128 : index})
    attributes {tile.default_dims = {M = 128, N = 64, K = 320}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %s = arith.constant 64 : i32
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %k32 = arith.index_cast %K : index to i32
  tile.grid %c1
  %nobody = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  %init = tile.load %S[%c0, %c0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
  %first = scf.for %i = %z to %k32 step %s iter_args(%sum = %init) -> (tensor<128x64xf32>) : i32 {
    %k = arith.index_cast %i : i32 to index
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %n = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %n : tensor<128x64xf32>
  }
  %second = scf.for %k = %c0 to %K step %step iter_args(%sum = %first) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %n = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %n : tensor<128x64xf32>
  }
  tile.store %second, %C[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.return
}
