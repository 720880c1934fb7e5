// Rows beside each other of one view: what their addresses share stays in registers from one load to the next, so that
// the launch bounds ask for fewer blocks than one load of as many elements would leave registers for (9, with which
// ptxas spilled).
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: __launch_bounds__(128, 8)
tile.kernel @laplace(%x: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["H", "W"]},
                     %y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["H", "W"]})
    attributes {tile.default_dims = {H = 70, W = 130}} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %h = tile.dim %x, 0 : !tile.view<?x?xf32>
  %w = tile.dim %x, 1 : !tile.view<?x?xf32>
  %down = arith.ceildivui %h, %c16 : index
  %across = arith.ceildivui %w, %c64 : index
  tile.grid %down, %across
  %p = tile.program_id 0
  %q = tile.program_id 1
  %i = arith.muli %p, %c16 : index
  %j = arith.muli %q, %c64 : index
  %above = arith.subi %i, %c1 : index
  %below = arith.addi %i, %c1 : index
  %left = arith.subi %j, %c1 : index
  %right = arith.addi %j, %c1 : index
  %here = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %n = tile.load %x[%above, %j] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %s = tile.load %x[%below, %j] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %ns = arith.addf %n, %s : tensor<16x64xf32>
  %l = tile.load %x[%i, %left] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %r = tile.load %x[%i, %right] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %lr = arith.addf %l, %r : tensor<16x64xf32>
  %around = arith.addf %ns, %lr : tensor<16x64xf32>
  %minus = arith.constant dense<-4.0> : tensor<16x64xf32>
  %centre = arith.mulf %here, %minus : tensor<16x64xf32>
  %sum = arith.addf %centre, %around : tensor<16x64xf32>
  tile.store %sum, %y[%i, %j] : tensor<16x64xf32>, !tile.view<?x?xf32>
  tile.return
}
