// Rows that are loaded behind a store to their place: no chain has both what is stored and what is computed from the
// loaded row. Once an internal error, since a row of a third load was in both.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @behind(%A: !tile.view<?x?xi32> {tile.name = "A", tile.dims = ["N", "K"]},
                    %P: !tile.view<?x?xf32> {tile.name = "P", tile.dims = ["Z", "M"]},
                    %R: !tile.view<?x?x?xf16> {tile.name = "R", tile.dims = ["Z", "M", "C"]})
    attributes {tile.default_dims = {N = 13, K = 24, Z = 2, M = 24, C = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %twice = arith.constant dense<2> : tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<8x256xf32>
  %Z = tile.dim %P, 0 : !tile.view<?x?xf32>
  %M = tile.dim %P, 1 : !tile.view<?x?xf32>
  tile.grid %c1, %Z
  %z = tile.program_id 1
  scf.for %i = %c0 to %M step %c8 {
    %a = tile.load %A[%z, %i] : !tile.view<?x?xi32> -> tensor<8xi32>
    %af = arith.sitofp %a : tensor<8xi32> to tensor<8xf32>
    %n = tile.iota : tensor<8xi32>
    %rows = arith.muli %n, %twice : tensor<8xi32>
    %g = tile.gather %A[%c0, %z] rows %rows : !tile.view<?x?xi32>, tensor<8xi32> -> tensor<8xi32>
    %gf = arith.sitofp %g : tensor<8xi32> to tensor<8xf32>
    %least = arith.minimumf %af, %gf : tensor<8xf32>
    tile.store %least, %P[%z, %i] {dims = array<i64: 1>} : tensor<8xf32>, !tile.view<?x?xf32>
    %p = tile.load %P[%z, %i] {dims = array<i64: 1>} : !tile.view<?x?xf32> -> tensor<8xf32>
    %sum = arith.addf %p, %gf : tensor<8xf32>
    tile.store %sum, %P[%z, %i] {dims = array<i64: 1>} : tensor<8xf32>, !tile.view<?x?xf32>
    %wide = tile.broadcast %af axis 1 : tensor<8xf32> -> tensor<8x256xf32>
    %more = arith.addf %wide, %one : tensor<8x256xf32>
    %half = arith.truncf %more : tensor<8x256xf32> to tensor<8x256xf16>
    tile.store %half, %R[%z, %i, %c0] : tensor<8x256xf16>, !tile.view<?x?x?xf16>
  }
  tile.return
}
