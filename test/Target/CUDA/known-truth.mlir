// A truth value that is known is written where it is read: between two operations that share a loop it would be
// declared behind them.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --implicit-check-not="const bool"
// CHECK: = true ?
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @known(%A: !tile.view<?x?xf32> {tile.name = "A", tile.dims = ["M", "N"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 40, N = 64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf32>
  %g = arith.ceildivui %M, %c16 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c16 : index
  %a = tile.load %A[%m, %c0] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %x = arith.mulf %a, %a : tensor<16x64xf32>
  %yes = arith.constant true
  %y = arith.select %yes, %x, %a : tensor<16x64xf32>
  %z = arith.addf %y, %a : tensor<16x64xf32>
  tile.store %z, %C[%m, %c0] : tensor<16x64xf32>, !tile.view<?x?xf32>
  tile.return
}
