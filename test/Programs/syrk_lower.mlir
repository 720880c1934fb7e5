// C = X^T X: only tiles on and below the diagonal are computed, in a branch; each is stored across it as well.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
!x = !tile.view<?x?xf16>
tile.kernel @syrk(%X: !x {tile.name = "X", tile.dims = ["R", "N"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["N", "N"]})
    attributes {tile.default_dims = {R = 160, N = 256}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %R = tile.dim %X, 0 : !x
  %N = tile.dim %X, 1 : !x
  %g = arith.ceildivui %N, %c64 : index
  tile.grid %g, %g
  %i = tile.program_id 0
  %j = tile.program_id 1
  %m = arith.muli %i, %c64 : index
  %n = arith.muli %j, %c64 : index
  %low = arith.cmpi uge, %i, %j : index
  scf.if %low {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = scf.for %k = %c0 to %R step %c32 iter_args(%a = %z) -> (tensor<64x64xf32>) {
      %x = tile.load %X[%k, %m] : !x -> tensor<32x64xf16>
      %y = tile.load %X[%k, %n] : !x -> tensor<32x64xf16>
      %xt = tile.transpose %x : tensor<32x64xf16> -> tensor<64x32xf16>
      %b = tile.dot %xt, %y, %a : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %b : tensor<64x64xf32>
    }
    tile.store %acc, %C[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    %off = arith.cmpi ugt, %i, %j : index
    scf.if %off {
      %t = tile.transpose %acc : tensor<64x64xf32> -> tensor<64x64xf32>
      tile.store %t, %C[%n, %m] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
  tile.return
}
