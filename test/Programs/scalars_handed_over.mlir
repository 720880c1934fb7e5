// Scalars of rows, as tiles without dimensions, that one group computes and another one needs.
// RUN: heddle run %s --free-groups --extra-groups=1 --scheduler=random --schedule-seed=3 --device=sim \
// RUN:   --input 'd=uniform(-0.01,0.0)' | FileCheck %s
// RUN: heddle run %s --free-groups --extra-groups=1 --scheduler=random --schedule-seed=3 --device=emulate \
// RUN:   --input 'd=uniform(-0.01,0.0)' | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @scal_loop(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["T", "D1"]},
                       %B: !tile.view<64x64xf16> {tile.name = "B", tile.dims = ["D0", "D1"]},
                       %d: !tile.view<?xf32> {tile.name = "d", tile.dims = ["T"]},
                       %C: !tile.view<64x64xf32> {tile.name = "C", tile.dims = ["D0", "D1"]},
                       %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["T", "D1"]})
    attributes {tile.default_dims = {T = 192}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %T = tile.dim %A, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = tile.load %B[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %r = scf.for %t = %c0 to %T step %c64 iter_args(%S = %z) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%t, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %dd = tile.load %d[%t] : !tile.view<?xf32> -> tensor<64xf32>
    %y = tile.dot %a, %b, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %cs = tile.scan "add" %dd axis 0 : tensor<64xf32>
    %cse = math.exp %cs : tensor<64xf32>
    %csb = tile.broadcast %cse axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %yy = arith.mulf %csb, %y : tensor<64x64xf32>
    tile.store %yy, %O[%t, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    %s = tile.reduce "add" %dd axis 0 : tensor<64xf32> -> tensor<f32>
    %e = math.exp %s : tensor<f32>
    %e1 = tile.broadcast %e axis 0 : tensor<f32> -> tensor<64xf32>
    %e2 = tile.broadcast %e1 axis 0 : tensor<64xf32> -> tensor<64x64xf32>
    %at = tile.transpose %a : tensor<64x64xf16> -> tensor<64x64xf16>
    %w = arith.mulf %S, %e2 : tensor<64x64xf32>
    %v = tile.dot %at, %b, %w : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
