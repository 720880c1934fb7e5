// Two products accumulate into a state that is scaled first and rounded beside: where a schedule rounds it behind the
// scaling, the next chain of products begins while the state is still read, and the loop copies registers.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --scheduler=random --schedule-seed=5 | FileCheck %s
// CHECK: {{^}}verified
!v = !tile.view<?x64xf16>
tile.kernel @decayed(%K: !v {tile.name = "K", tile.dims = ["S", "D"]},
                     %V: !v {tile.name = "V", tile.dims = ["S", "E"]},
                     %Y: !v {tile.name = "Y", tile.dims = ["S", "E"]})
    attributes {tile.default_dims = {S = 640}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %decay = arith.constant dense<0.75> : tensor<64x64xf32>
  %S = tile.dim %K, 0 : !v
  tile.grid %c1
  %last = scf.for %s = %c0 to %S step %c128 iter_args(%state = %zero) -> (tensor<64x64xf32>) {
    %scaled = arith.mulf %state, %decay : tensor<64x64xf32>
    %y = arith.truncf %state : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %y, %Y[%s, %c0] : tensor<64x64xf16>, !v
    %next = arith.addi %s, %c64 : index
    %k0 = tile.load %K[%s, %c0] : !v -> tensor<64x64xf16>
    %v0 = tile.load %V[%s, %c0] : !v -> tensor<64x64xf16>
    %k1 = tile.load %K[%next, %c0] : !v -> tensor<64x64xf16>
    %v1 = tile.load %V[%next, %c0] : !v -> tensor<64x64xf16>
    %t0 = tile.transpose %k0 : tensor<64x64xf16> -> tensor<64x64xf16>
    %t1 = tile.transpose %k1 : tensor<64x64xf16> -> tensor<64x64xf16>
    %d0 = tile.dot %t0, %v0, %scaled : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %d1 = tile.dot %t1, %v1, %d0 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d1 : tensor<64x64xf32>
  }
  tile.return
}
