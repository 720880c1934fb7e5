// In a loop with products a branch that only computes becomes a choice; one in a loop without
// products stays.
// RUN: heddle-opt %s --heddle-choose-tiles | FileCheck %s
// CHECK-LABEL: @choices
// CHECK: scf.for
// CHECK: tile.dot
// CHECK-NOT: scf.if
// CHECK: arith.select
// CHECK: scf.for
// CHECK: scf.if
tile.kernel @choices(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %m = tile.dim %A, 0 : !tile.view<?x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %i = %c0 to %m step %c64 {
    %a = tile.load %A[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %t = tile.transpose %a : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %t, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %r = scf.if %first -> (tensor<64x64xf32>) {
      %twice = arith.addf %s, %s : tensor<64x64xf32>
      scf.yield %twice : tensor<64x64xf32>
    } else {
      scf.yield %s : tensor<64x64xf32>
    }
    tile.store %r, %C[%i, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
  scf.for %i = %c0 to %m step %c64 {
    %s = tile.load %C[%i, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %r = scf.if %first -> (tensor<64x64xf32>) {
      %twice = arith.addf %s, %s : tensor<64x64xf32>
      scf.yield %twice : tensor<64x64xf32>
    } else {
      scf.yield %s : tensor<64x64xf32>
    }
    tile.store %r, %C[%i, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
  tile.return
}
