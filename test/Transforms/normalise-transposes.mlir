// Folds and products take tiles as they are. A transposed product that is only stored stays, one that something else
// reads, and one of what another product makes.
// RUN: heddle-opt %s --heddle-normalise-transposes | FileCheck %s

// CHECK-LABEL: @transposes
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = tile.load
// CHECK: %[[X:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: tile.reduce "max" %[[X]] axis 1 : tensor<128x64xf32> -> tensor<128xf32>
// CHECK: %[[AT:.*]] = tile.transpose %[[A]]
// CHECK: tile.dot %[[A]], %[[AT]], %{{.*}} : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
// CHECK: %[[BT:.*]] = tile.transpose %[[B]]
// CHECK: %[[D:.*]] = tile.dot %[[A]], %[[BT]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: tile.reduce "add" %[[E]] axis 1
// CHECK: %[[K:.*]] = tile.dot
// CHECK: %[[KT:.*]] = tile.transpose %[[K]]
// CHECK: arith.addf %[[K]], %[[KT]]
// CHECK: %[[S:.*]] = tile.dot
// CHECK: tile.transpose %[[S]]
// CHECK: %[[P:.*]] = arith.truncf
// CHECK: %[[O:.*]] = tile.dot %[[P]]
// CHECK: %[[OT:.*]] = tile.transpose %[[O]]
// CHECK: math.exp %[[OT]]
tile.kernel @transposes(%A: !tile.view<128x64xf32> {tile.name = "A", tile.dims = ["M", "K"]},
                        %B: !tile.view<128x64xf32> {tile.name = "B", tile.dims = ["M", "K"]},
                        %Y: !tile.view<128xf32> {tile.name = "Y", tile.dims = ["M"]},
                        %Z: !tile.view<128x128xf32> {tile.name = "Z", tile.dims = ["M", "M"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  %b = tile.load %B[%c0, %c0] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  %x = arith.addf %a, %b : tensor<128x64xf32>
  %xt = tile.transpose %x : tensor<128x64xf32> -> tensor<64x128xf32>
  %max = tile.reduce "max" %xt axis 0 : tensor<64x128xf32> -> tensor<128xf32>
  %at = tile.transpose %a : tensor<128x64xf32> -> tensor<64x128xf32>
  %att = tile.transpose %at : tensor<64x128xf32> -> tensor<128x64xf32>
  %square = tile.dot %att, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  tile.store %square, %Z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  %dt = tile.dot %b, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  %d = tile.transpose %dt : tensor<128x128xf32> -> tensor<128x128xf32>
  %e = math.exp %d : tensor<128x128xf32>
  %sum = tile.reduce "add" %e axis 1 : tensor<128x128xf32> -> tensor<128xf32>
  %y = arith.addf %max, %sum : tensor<128xf32>
  tile.store %y, %Y[%c0] : tensor<128xf32>, !tile.view<128xf32>
  %k = tile.dot %b, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  %kt = tile.transpose %k : tensor<128x128xf32> -> tensor<128x128xf32>
  %both = arith.addf %k, %kt : tensor<128x128xf32>
  tile.store %both, %Z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  %s = tile.dot %b, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  %st = tile.transpose %s : tensor<128x128xf32> -> tensor<128x128xf32>
  tile.store %st, %Z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  // of what another product makes
  %p = arith.truncf %both : tensor<128x128xf32> to tensor<128x128xf16>
  %ah = arith.truncf %a : tensor<128x64xf32> to tensor<128x64xf16>
  %zeroO = arith.constant dense<0.0> : tensor<128x64xf32>
  %o = tile.dot %p, %ah, %zeroO : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
  %ot = tile.transpose %o : tensor<128x64xf32> -> tensor<64x128xf32>
  %oe = math.exp %ot : tensor<64x128xf32>
  %rows = tile.reduce "add" %oe axis 0 : tensor<64x128xf32> -> tensor<128xf32>
  tile.store %rows, %Y[%c0] : tensor<128xf32>, !tile.view<128xf32>
  tile.return
}
