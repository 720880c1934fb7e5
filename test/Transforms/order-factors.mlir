// Factors that wait for an earlier product are multiplied first, so that less waits beside a later one. Factors that
// wait for none stay behind, and so does the order of what is right, and of what something else reads on the way.
// RUN: heddle-opt %s --heddle-order-factors | FileCheck %s

// CHECK-LABEL: @factors
tile.kernel @factors(%X: !tile.view<64x64xf16> {tile.name = "X", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s"},
                     %Y: !tile.view<64x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %X[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %m = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  %scale = tensor.splat %s : tensor<64x64xf32>
  // CHECK: %[[A:.*]] = tile.dot
  // CHECK: %[[B:.*]] = tile.dot
  // CHECK: %[[E:.*]] = math.exp %[[A]]
  %a = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %b = tile.dot %x, %x, %a : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %e = math.exp %a : tensor<64x64xf32>

  // the late factor in the middle
  // CHECK: %[[AE:.*]] = arith.mulf %[[A]], %[[E]] :
  // CHECK: %[[AEB:.*]] = arith.mulf %[[AE]], %[[B]] :
  // CHECK: tile.store %[[AEB]]
  %ab = arith.mulf %a, %b : tensor<64x64xf32>
  %abe = arith.mulf %ab, %e : tensor<64x64xf32>
  tile.store %abe, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>

  // below, and with a scale and a mask that wait for nothing
  // CHECK: %[[AE:.*]] = arith.mulf %[[A]], %[[E]] :
  // CHECK: %[[AEB:.*]] = arith.mulf %[[AE]], %[[B]] :
  // CHECK: %[[AEBM:.*]] = arith.mulf %[[AEB]], %[[M:.*]] :
  // CHECK: %[[ALL:.*]] = arith.mulf %[[AEBM]], %[[S:.*]] :
  // CHECK: tile.store %[[ALL]]
  %bm = arith.mulf %b, %m : tensor<64x64xf32>
  %bms = arith.mulf %bm, %scale : tensor<64x64xf32>
  %ae = arith.mulf %a, %e : tensor<64x64xf32>
  %all = arith.mulf %bms, %ae : tensor<64x64xf32>
  tile.store %all, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>

  // in order
  // CHECK: %[[AM:.*]] = arith.mulf %[[A]], %[[M]] :
  // CHECK: arith.mulf %[[AM]], %[[B]] :
  %am = arith.mulf %a, %m : tensor<64x64xf32>
  %amb = arith.mulf %am, %b : tensor<64x64xf32>
  tile.store %amb, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>

  // read on the way
  // CHECK: %[[BM:.*]] = arith.mulf %[[B]], %[[M]] :
  // CHECK: %[[BME:.*]] = arith.mulf %[[BM]], %[[E]] :
  // CHECK: tile.store %[[BM]]
  // CHECK: tile.store %[[BME]]
  %read = arith.mulf %b, %m : tensor<64x64xf32>
  %reade = arith.mulf %read, %e : tensor<64x64xf32>
  tile.store %read, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.store %reade, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
