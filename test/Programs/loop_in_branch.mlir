// Blocks before the diagonal, then those behind it in a branch that a length in memory decides.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @cs(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["S", "D"]},
                %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                %len: !tile.view<1xi32> {tile.name = "len", tile.dims = ["one"]},
                %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 320}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %S = tile.dim %X, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %l0 = tile.element %len[%c0] : !tile.view<1xi32> -> i32
  %c20 = arith.constant 20 : i32
  %l1 = arith.muli %l0, %c20 : i32
  %l = arith.index_cast %l1 : i32 to index
  %a = scf.for %n = %c0 to %m step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %k, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %more = arith.cmpi sgt, %l, %m : index
  %b = scf.if %more -> (tensor<128x64xf32>) {
    %end = arith.minsi %l, %S : index
    %t = scf.for %n = %m to %end step %c64 iter_args(%s = %a) -> (tensor<128x64xf32>) {
      %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %d = tile.dot %x, %k, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %r = arith.maximumf %t, %zero : tensor<128x64xf32>
    scf.yield %r : tensor<128x64xf32>
  } else {
    scf.yield %a : tensor<128x64xf32>
  }
  tile.store %b, %O[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
