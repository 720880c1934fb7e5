// Rows added to the places that numbers name: elements of which one row is added after another, in any order.
// RUN: heddle run %s --device=sim --dims M=256,T=256 --input 'ids=integers(0,256)' --seed=2 | FileCheck %s
// RUN: heddle run %s --device=emulate --dims M=256,T=256 --input 'ids=integers(0,256)' --seed=2 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @scatter(%X: !tile.view<?x32xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                     %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
                     %O: !tile.view<?x32xf32> {tile.name = "O", tile.dims = ["T", "N"]})
    attributes {tile.default_dims = {M = 128, T = 64}} {
  %c0 = arith.constant 64 : index
  %c1 = arith.constant 0 : index
  %v1 = tile.dim %X, 0 : !tile.view<?x32xf32>
  %v2 = arith.ceildivui %v1, %c0 : index
  tile.grid %v2
  %v3 = tile.program_id 0
  %v4 = arith.muli %v3, %c0 : index
  %v5 = tile.load %X[%v4, %c1] : !tile.view<?x32xf32> -> tensor<64x32xf32>
  %v6 = tile.load %ids[%v4] : !tile.view<?xi32> -> tensor<64xi32>
  tile.store %v5, %O[%c1, %c1] rows %v6 {kind = "add"} : tensor<64x32xf32>, !tile.view<?x32xf32>, tensor<64xi32>
  tile.return
}
