// Positions as numbers, along rows and along columns: groups divide the one, and every group has the whole other.
// RUN: heddle-opt %s --heddle-separate-positions | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK: %[[I:.*]] = tile.iota
// CHECK-DAG: %[[X:.*]] = arith.sitofp %[[I]]
// CHECK-DAG: %[[Y:.*]] = arith.sitofp %[[I]]
// CHECK: tile.broadcast %[[R:.*]] axis 1
// CHECK-NOT: tile.broadcast %[[R]] axis 0
// CHECK: tile.broadcast %{{.*}} axis 0
// CHECK: tile.broadcast %[[R]] axis 1
tile.kernel @decayed(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                     %B: !tile.view<128x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                     %C: !tile.view<?x128xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {groups = 2 : i64, tile.default_dims = {M = 200}} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %half = arith.constant dense<0.5> : tensor<128xf32>
  %i0 = tile.iota : tensor<128xi32>
  %x = arith.sitofp %i0 : tensor<128xi32> to tensor<128xf32>
  %i = arith.mulf %x, %half : tensor<128xf32>
  %nobody = arith.addf %half, %half : tensor<128xf32>
  %r = tile.broadcast %i axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %c = tile.broadcast %i axis 0 : tensor<128xf32> -> tensor<128x128xf32>
  %in = arith.cmpf ole, %c, %r : tensor<128x128xf32>
  %again = tile.broadcast %i axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %b = tile.load %B[%c0, %c0] : !tile.view<128x64xf16> -> tensor<128x64xf16>
  %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
  %s = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %scaled = arith.mulf %s, %again : tensor<128x128xf32>
  %t = arith.select %in, %scaled, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  tile.store %t, %C[%m, %c0] : tensor<128x128xf32>, !tile.view<?x128xf32>
  tile.return
}
