// Three loops, with a load, a store and a carried tile at every level; trip counts of the inner two depend on the outer
// ones and reach zero.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// CHECK: %[[A:.*]] = warp.aref "A"
// CHECK: %[[B:.*]] = warp.aref "B"
// CHECK-LABEL: warp.group @compute0
// CHECK: scf.for
// CHECK: warp.get %[[A]]
// CHECK: scf.for
// CHECK: warp.get %[[B]]
// CHECK: warp.consumed %[[B]]
// CHECK: warp.consumed %[[A]]
tile.kernel @three(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["I", "D"]},
                   %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["J", "D"]},
                   %C: !tile.view<?x64xf16> {tile.name = "C", tile.dims = ["K", "D"]},
                   %X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["I", "D"]},
                   %Y: !tile.view<?x?x64xf16> {tile.name = "Y", tile.dims = ["I", "J", "D"]})
    attributes {tile.default_dims = {I = 192, J = 256, K = 320}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %I = tile.dim %A, 0 : !tile.view<?x64xf16>
  %J = tile.dim %B, 0 : !tile.view<?x64xf16>
  %K = tile.dim %C, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %last = scf.for %i = %c0 to %I step %c64 iter_args(%s0 = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %r1 = scf.for %j = %i to %J step %c64 iter_args(%s1 = %s0) -> (tensor<64x64xf32>) {
      %b = tile.load %B[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %from = arith.addi %i, %j : index
      %r2 = scf.for %k = %from to %K step %c64 iter_args(%s2 = %zero) -> (tensor<64x64xf32>) {
        %c = tile.load %C[%k, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
        %ct = tile.transpose %c : tensor<64x64xf16> -> tensor<64x64xf16>
        %p = tile.dot %a, %ct, %s2 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
        %q = tile.dot %b, %c, %p : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
        scf.yield %q : tensor<64x64xf32>
      }
      %e = arith.extf %b : tensor<64x64xf16> to tensor<64x64xf32>
      %t = arith.addf %r2, %e : tensor<64x64xf32>
      %h = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
      tile.store %h, %Y[%i, %j, %c0] : tensor<64x64xf16>, !tile.view<?x?x64xf16>
      %u = arith.addf %s1, %t : tensor<64x64xf32>
      scf.yield %u : tensor<64x64xf32>
    }
    tile.store %r1, %X[%i, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    %quarter = arith.constant dense<0.25> : tensor<64x64xf32>
    %less = arith.mulf %r1, %quarter : tensor<64x64xf32>
    scf.yield %less : tensor<64x64xf32>
  }
  tile.return
}
