// Products of rows and of columns, and bits that all, some or an odd number of the elements of a row have. Rows are
// padded with elements that change nothing.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: hd::Multiply()
// CUDA: hd::And()
tile.kernel @folds(%X: !tile.view<?x40xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                   %B: !tile.view<?x40xi32> {tile.name = "B", tile.dims = ["M", "N"]},
                   %P: !tile.view<?xf32> {tile.name = "P", tile.dims = ["M"]},
                   %C: !tile.view<?x40xf32> {tile.name = "C", tile.dims = ["G", "N"]},
                   %All: !tile.view<?xi32> {tile.name = "All", tile.dims = ["M"]},
                   %Some: !tile.view<?xi32> {tile.name = "Some", tile.dims = ["M"]},
                   %Odd: !tile.view<?xi32> {tile.name = "Odd", tile.dims = ["M"]},
                   %Down: !tile.view<?x40xi32> {tile.name = "Down", tile.dims = ["G", "N"]})
    attributes {tile.default_dims = {M = 48, G = 3}} {
  %c0 = arith.constant 0 : index
  %r = arith.constant 16 : index
  %G = tile.dim %C, 0 : !tile.view<?x40xf32>
  tile.grid %G
  %p = tile.program_id 0
  %m = arith.muli %p, %r : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x40xf32> -> tensor<16x40xf32>
  %tenth = arith.constant dense<0.1> : tensor<16x40xf32>
  %one = arith.constant dense<1.0> : tensor<16x40xf32>
  %small = arith.mulf %x, %tenth : tensor<16x40xf32>
  %factor = arith.addf %small, %one : tensor<16x40xf32>
  %row = tile.reduce "mul" %factor axis 1 : tensor<16x40xf32> -> tensor<16xf32>
  tile.store %row, %P[%m] : tensor<16xf32>, !tile.view<?xf32>
  %column = tile.reduce "mul" %factor axis 0 : tensor<16x40xf32> -> tensor<40xf32>
  tile.store %column, %C[%p, %c0] : tensor<40xf32>, !tile.view<?x40xf32>
  %b = tile.load %B[%m, %c0] : !tile.view<?x40xi32> -> tensor<16x40xi32>
  %thousand = arith.constant dense<1000> : tensor<16x40xi32>
  %few = arith.ori %b, %thousand : tensor<16x40xi32>
  %all = tile.reduce "and" %few axis 1 : tensor<16x40xi32> -> tensor<16xi32>
  tile.store %all, %All[%m] : tensor<16xi32>, !tile.view<?xi32>
  %some = tile.reduce "or" %b axis 1 : tensor<16x40xi32> -> tensor<16xi32>
  tile.store %some, %Some[%m] : tensor<16xi32>, !tile.view<?xi32>
  %odd = tile.reduce "xor" %b axis 1 : tensor<16x40xi32> -> tensor<16xi32>
  tile.store %odd, %Odd[%m] : tensor<16xi32>, !tile.view<?xi32>
  %down = tile.reduce "and" %few axis 0 : tensor<16x40xi32> -> tensor<40xi32>
  tile.store %down, %Down[%p, %c0] : tensor<40xi32>, !tile.view<?x40xi32>
  tile.return
}
