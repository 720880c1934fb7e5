// A recurrence of one warp group whose products wait for each other overlaps no iterations, and leaves the tensor core
// idle for most of each: three blocks share a multiprocessor, with the same schedule. A plan may say otherwise.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: loop 0: initiation interval [[II:[0-9]+]] cycles, 1 stages
// CHECK: __launch_bounds__(256, 3)
// RUN: echo '{kernel = {blocks = 1}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | FileCheck %s --check-prefix=ONE
// ONE: 1 stages
// ONE: __launch_bounds__(256, 1)
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @powers(%X: !tile.view<?x64xbf16> {tile.dims = ["M", "N"]},
                    %Y: !tile.view<?x64xbf16> {tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %m = tile.dim %X, 0 : !tile.view<?x64xbf16>
  %g = arith.ceildivui %m, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %i = arith.muli %p, %c64 : index
  %x = tile.load %X[%i, %c0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %scale = arith.constant dense<0.125> : tensor<64x64xf32>
  %y = scf.for %k = %c0 to %c2 step %c1 iter_args(%b = %x) -> (tensor<64x64xbf16>) {
    %t = tile.transpose %b : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %a = tile.dot %b, %t, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %as = arith.mulf %a, %scale : tensor<64x64xf32>
    %ab = arith.truncf %as : tensor<64x64xf32> to tensor<64x64xbf16>
    %d = tile.dot %ab, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %ds = arith.mulf %d, %scale : tensor<64x64xf32>
    %db = arith.truncf %ds : tensor<64x64xf32> to tensor<64x64xbf16>
    scf.yield %db : tensor<64x64xbf16>
  }
  tile.store %y, %Y[%i, %c0] : tensor<64x64xbf16>, !tile.view<?x64xbf16>
  tile.return
}
