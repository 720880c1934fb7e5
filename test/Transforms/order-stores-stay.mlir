// Which stores by the copy engine keep their place.
// RUN: heddle-opt %s --heddle-order-stores | FileCheck %s

// Those before a store of the same elements, and those before a larger tile.
// CHECK-LABEL: @same
// CHECK: tile.store {{.*}} %arg3{{.*}}tensor<64x64xf16>
// CHECK: tile.store {{.*}} %arg3{{.*}}tensor<64x3xf16>
// CHECK: tile.store {{.*}} %arg4{{.*}}tensor<64x64xf16>
// CHECK: tile.store {{.*}} %arg5{{.*}}tensor<64x64xf32>
tile.kernel @same(%A: !tile.view<64x64xf16>, %N: !tile.view<64x3xf16>, %W: !tile.view<64x66xf32>,
                  %O: !tile.view<64x64xf16>, %Q: !tile.view<64x64xf16>, %P: !tile.view<64x66xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %c0 = arith.constant 0 : index
  %a = tile.load %A[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %n = tile.load %N[%c0, %c0] : !tile.view<64x3xf16> -> tensor<64x3xf16>
  %w = tile.load %W[%c0, %c1] : !tile.view<64x66xf32> -> tensor<64x64xf32>
  tile.store %a, %O[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
  tile.store %n, %O[%c0, %c1] : tensor<64x3xf16>, !tile.view<64x64xf16>
  tile.store %a, %Q[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
  tile.store %w, %P[%c0, %c1] : tensor<64x64xf32>, !tile.view<64x66xf32>
  tile.return
}
