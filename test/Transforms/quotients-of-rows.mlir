// What divides whole rows divides one for each row, and the rows are multiplied by that.
// RUN: heddle-opt %s --heddle-fold-broadcasts | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// RIGHT: {{^}}verified
// CHECK: %[[SUM:.*]] = tile.reduce "add" %{{.*}} axis 1
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SUM]] : tensor<32xf32>
// CHECK: %[[ROWS:.*]] = tile.broadcast %[[INVERSE]] axis 1
// CHECK: arith.mulf %{{.*}}, %[[ROWS]] : tensor<32x64xf32>
// CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<32x64xf16>
// CUDA: = hd::rcp(
tile.kernel @shares(%X: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                    %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["M", "N"]},
                    %H: !tile.view<?x?xf16> {tile.name = "H", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 30, N = 60}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x64xf32>
  %e = math.exp %x : tensor<32x64xf32>
  %sum = tile.reduce "add" %e axis 1 : tensor<32x64xf32> -> tensor<32xf32>
  %sums = tile.broadcast %sum axis 1 : tensor<32xf32> -> tensor<32x64xf32>
  %y = arith.divf %e, %sums : tensor<32x64xf32>
  tile.store %y, %Y[%c0, %c0] : tensor<32x64xf32>, !tile.view<?x?xf32>
  %h = arith.truncf %e : tensor<32x64xf32> to tensor<32x64xf16>
  %half = arith.truncf %sum : tensor<32xf32> to tensor<32xf16>
  %halves = tile.broadcast %half axis 1 : tensor<32xf16> -> tensor<32x64xf16>
  %z = arith.divf %h, %halves : tensor<32x64xf16>
  tile.store %z, %H[%c0, %c0] : tensor<32x64xf16>, !tile.view<?x?xf16>
  tile.return
}
