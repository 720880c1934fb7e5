// An embedding: rows of a table that tokens name, scaled; and the position's row gathered from a second table.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @embed(%E: !tile.view<?x?xf16> {tile.name = "E", tile.dims = ["V", "D"]},
                   %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["T"]},
                   %w: !tile.view<?xf32> {tile.name = "w", tile.dims = ["V"]},
                   %O: !tile.view<?x?xf16> {tile.name = "O", tile.dims = ["T", "D"]})
    attributes {tile.default_dims = {V = 12, D = 96, T = 100}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %T = tile.dim %ids, 0 : !tile.view<?xi32>
  %D = tile.dim %E, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %T, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %t = arith.muli %p, %c64 : index
  %rows = tile.load %ids[%t] : !tile.view<?xi32> -> tensor<64xi32>
  %ws = tile.gather %w[%c0] rows %rows : !tile.view<?xf32>, tensor<64xi32> -> tensor<64xf32>
  %wb = tile.broadcast %ws axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  scf.for %j = %c0 to %D step %c64 {
    %e = tile.gather %E[%c0, %j] rows %rows : !tile.view<?x?xf16>, tensor<64xi32> -> tensor<64x64xf16>
    %f = arith.extf %e : tensor<64x64xf16> to tensor<64x64xf32>
    %s = arith.mulf %f, %wb : tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %h, %O[%t, %j] : tensor<64x64xf16>, !tile.view<?x?xf16>
  }
  tile.return
}
