// The upper half of a product of 32 bits, which takes 64 bits as it is written, and the lower half beside it are the
// device's functions; a product whose operands are wider, another part of it, and numbers stay.
// RUN: heddle-opt %s --heddle-high-products | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK-LABEL: @halves
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[LOW:.*]] = tile.call "::hd::multiplyLow" from "heddle_device/thread/math.h" cost {alu_half = 1 : i64}(%[[X]],
// CHECK: tile.call "::hd::multiplyHigh" from "heddle_device/thread/math.h" cost {alu_half = 1 : i64}(%[[X]],
// CHECK: tile.call "::hd::multiplyHigh" from "heddle_device/thread/math.h" cost {alu_half = 2 : i64}(%[[X]], %[[LOW]])
// CHECK-NOT: tile.call
// CHECK: arith.shrui
// CHECK: arith.trunci
// CHECK-NOT: tile.call
tile.kernel @halves(%X: !tile.view<?x64xi32> {tile.name = "X", tile.dims = ["M", "N"]},
                    %Y: !tile.view<?x64xi32> {tile.name = "Y", tile.dims = ["M", "N"]},
                    %Z: !tile.view<?x64xi32> {tile.name = "Z", tile.dims = ["M", "N"]},
                    %W: !tile.view<?x64xi32> {tile.name = "W", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %wide = arith.constant dense<3449720151> : tensor<64x64xi64>
  %narrow = arith.constant dense<-845247145> : tensor<64x64xi32>
  %by32 = arith.constant dense<32> : tensor<64x64xi64>
  %by31 = arith.constant dense<31> : tensor<64x64xi64>
  %x = tile.load %X[%c0, %c0] : !tile.view<?x64xi32> -> tensor<64x64xi32>
  %low = arith.muli %narrow, %x : tensor<64x64xi32>
  %e = arith.extui %x : tensor<64x64xi32> to tensor<64x64xi64>
  %p = arith.muli %wide, %e : tensor<64x64xi64>
  %s = arith.shrui %p, %by32 : tensor<64x64xi64>
  %high = arith.trunci %s : tensor<64x64xi64> to tensor<64x64xi32>
  %f = arith.extui %low : tensor<64x64xi32> to tensor<64x64xi64>
  %q = arith.muli %e, %f : tensor<64x64xi64>
  %t = arith.shrui %q, %by32 : tensor<64x64xi64>
  %both = arith.trunci %t : tensor<64x64xi64> to tensor<64x64xi32>
  %u = arith.shrui %q, %by31 : tensor<64x64xi64>
  %other = arith.trunci %u : tensor<64x64xi64> to tensor<64x64xi32>
  %y = arith.xori %low, %high : tensor<64x64xi32>
  tile.store %y, %Y[%c0, %c0] : tensor<64x64xi32>, !tile.view<?x64xi32>
  tile.store %both, %Z[%c0, %c0] : tensor<64x64xi32>, !tile.view<?x64xi32>
  tile.store %other, %W[%c0, %c0] : tensor<64x64xi32>, !tile.view<?x64xi32>
  tile.return
}
