// Folds from the end of rows whose length is no power of two: the registers of a block that ends early have no partner
// each, and take what its first register has.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// CHECK: verified
tile.kernel @scans(%X: !tile.view<?x96xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                   %V: !tile.view<12xf32> {tile.name = "V"},
                   %W: !tile.view<7xi32> {tile.name = "W"},
                   %Rows: !tile.view<?x96xf32> {tile.name = "Rows", tile.dims = ["M", "N"]},
                   %Down: !tile.view<?x96xf32> {tile.name = "Down", tile.dims = ["M", "N"]},
                   %Y: !tile.view<12xf32> {tile.name = "Y"},
                   %Z: !tile.view<7xi32> {tile.name = "Z"})
    attributes {tile.default_dims = {M = 48}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %x = tile.load %X[%c0, %c0] : !tile.view<?x96xf32> -> tensor<48x96xf32>
  %rows = tile.scan "add" %x axis 1 reverse : tensor<48x96xf32>
  tile.store %rows, %Rows[%c0, %c0] : tensor<48x96xf32>, !tile.view<?x96xf32>
  %down = tile.scan "max" %x axis 0 reverse : tensor<48x96xf32>
  tile.store %down, %Down[%c0, %c0] : tensor<48x96xf32>, !tile.view<?x96xf32>
  %v = tile.load %V[%c0] : !tile.view<12xf32> -> tensor<12xf32>
  %y = tile.scan "add" %v axis 0 reverse : tensor<12xf32>
  tile.store %y, %Y[%c0] : tensor<12xf32>, !tile.view<12xf32>
  %w = tile.load %W[%c0] : !tile.view<7xi32> -> tensor<7xi32>
  %z = tile.scan "add" %w axis 0 reverse : tensor<7xi32>
  tile.store %z, %Z[%c0] : tensor<7xi32>, !tile.view<7xi32>
  tile.return
}
