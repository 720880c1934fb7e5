// Two different rows of one store for one row of memory: which one is left nobody says.
// RUN: not heddle run %s --device=sim 2>&1 | FileCheck %s
// CHECK: rows-named-twice.mlir:13:3: error: 'tile.store' op expected one value for each element that it writes, got two for row 0
// CHECK-NOT: internal
tile.kernel @twice(%X: !tile.view<?x8xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                   %O: !tile.view<?x8xf32> {tile.name = "O", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %x = tile.load %X[%c0, %c0] : !tile.view<?x8xf32> -> tensor<4x8xf32>
  %row = arith.constant dense<0> : tensor<4xi32>
  tile.store %x, %O[%c0, %c0] rows %row : tensor<4x8xf32>, !tile.view<?x8xf32>, tensor<4xi32>
  tile.return
}
