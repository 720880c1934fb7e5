// Sums of wide rows, piece by piece. A piece is more than memory delivers while its load takes, so that loads do not
// run ahead: their tiles would take registers from other blocks. Pieces so narrow that even the blocks of a
// multiprocessor together do not load that much run ahead. The sum that the loop carries and what it gives are one tile
// of registers: four blocks share a multiprocessor.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=sim --param=W=256 | FileCheck %s --check-prefix=NARROW
// CHECK: initiation interval {{.*}}; 1 stages
// CHECK: verified
// NARROW: initiation interval {{.*}}; {{[2-9]|[1-9][0-9]}} stages
// NARROW: verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: __launch_bounds__(256, 4)
tile.kernel @sums(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?xf32> {tile.name = "Y", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 3, N = 20000}} {
  %c0 = arith.constant 0 : index
  %w = tile.param "W" = 8192 in [256, 8192]
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  tile.grid %M
  %p = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<1x8192xf32>
  %sums = scf.for %i = %c0 to %N step %w iter_args(%s = %zero) -> (tensor<1x8192xf32>) {
    %x = tile.load %X[%p, %i] {tile.sizes = [1, "W"]} : !tile.view<?x?xf16> -> tensor<1x8192xf16>
    %f = arith.extf %x : tensor<1x8192xf16> to tensor<1x8192xf32>
    %t = arith.addf %s, %f : tensor<1x8192xf32>
    scf.yield %t : tensor<1x8192xf32>
  }
  %sum = tile.reduce "add" %sums axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
  tile.store %sum, %Y[%p] : tensor<1xf32>, !tile.view<?xf32>
  tile.return
}
