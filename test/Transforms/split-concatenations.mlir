// A product that contracts a concatenated dimension is a sum of products of the parts, which are computed by
// themselves, from parts that are loaded once; one of a small tile, or of a whole that something else reads, stays.
// RUN: heddle-opt %s --heddle-split-concatenations | FileCheck %s

// CHECK-LABEL: @rotated
// CHECK: %[[Q:.*]] = tile.load %arg0
// CHECK: scf.for
// CHECK-COUNT-2: tile.load %arg1{{.*}} -> tensor<64x64xf16>
// CHECK-NOT: tile.load %arg1
// CHECK: tile.load %arg2{{.*}} -> tensor<64x64xf32>
// CHECK: tile.load %arg2{{.*}} -> tensor<64x64xf32>
// CHECK-NOT: concat
// CHECK: %[[ONE:.*]] = tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[ONE]] : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
tile.kernel @rotated(%Q: !tile.view<64x128xf16> {tile.name = "Q", tile.dims = ["M", "D"]},
                     %K: !tile.view<?x128xf16> {tile.name = "K", tile.dims = ["N", "D"]},
                     %C: !tile.view<?x128xf32> {tile.name = "C", tile.dims = ["N", "D"]},
                     %O: !tile.view<64x64xf32> {tile.name = "O", tile.dims = ["M", "B"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.dim %K, 0 : !tile.view<?x128xf16>
  %q = tile.load %Q[%c0, %c0] : !tile.view<64x128xf16> -> tensor<64x128xf16>
  %sum = scf.for %at = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %k16 = tile.load %K[%at, %c0] : !tile.view<?x128xf16> -> tensor<64x128xf16>
    %k = arith.extf %k16 : tensor<64x128xf16> to tensor<64x128xf32>
    %c = tile.load %C[%at, %c0] : !tile.view<?x128xf32> -> tensor<64x128xf32>
    %x = tensor.extract_slice %k[0, 0] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
    %y = tensor.extract_slice %k[0, 64] [64, 64] [1, 1] : tensor<64x128xf32> to tensor<64x64xf32>
    %less = arith.negf %y : tensor<64x64xf32>
    %turned = tensor.concat dim(1) %less, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
    %kc = arith.mulf %k, %c : tensor<64x128xf32>
    %r = arith.addf %kc, %turned : tensor<64x128xf32>
    %r16 = arith.truncf %r : tensor<64x128xf32> to tensor<64x128xf16>
    %rt = tile.transpose %r16 : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %q, %rt, %acc : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  tile.store %sum, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}

// The whole is stored as well; a part that no product contracts by itself; a small one.
// CHECK-LABEL: @whole
// CHECK: tensor.concat
// CHECK: tile.dot {{.*}} : tensor<64x128xf16>, tensor<128x64xf16>
// CHECK: tensor.concat
// CHECK: tile.dot {{.*}} : tensor<64x128xf16>, tensor<128x64xf16>
// CHECK: tensor.concat
// CHECK: tile.dot {{.*}} : tensor<64x64xf16>, tensor<64x64xf16>
tile.kernel @whole(%X: !tile.view<64x128xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                   %O: !tile.view<64x64xf32> {tile.name = "O", tile.dims = ["M", "B"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %X[%c0, %c0] : !tile.view<64x128xf16> -> tensor<64x128xf16>
  %a = tensor.extract_slice %x[0, 0] [64, 64] [1, 1] : tensor<64x128xf16> to tensor<64x64xf16>
  %b = tensor.extract_slice %x[0, 64] [64, 64] [1, 1] : tensor<64x128xf16> to tensor<64x64xf16>
  %ba = tensor.concat dim(1) %b, %a : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x128xf16>
  %bat = tile.transpose %ba : tensor<64x128xf16> -> tensor<128x64xf16>
  %s = tile.dot %ba, %bat, %zero : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
  %short = tensor.extract_slice %x[0, 0] [64, 8] [1, 1] : tensor<64x128xf16> to tensor<64x8xf16>
  %long = tensor.extract_slice %x[0, 0] [64, 120] [1, 1] : tensor<64x128xf16> to tensor<64x120xf16>
  %odd = tensor.concat dim(1) %long, %short : (tensor<64x120xf16>, tensor<64x8xf16>) -> tensor<64x128xf16>
  %oddt = tile.transpose %odd : tensor<64x128xf16> -> tensor<128x64xf16>
  %t = tile.dot %x, %oddt, %s : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
  %a1 = tensor.extract_slice %x[0, 0] [64, 32] [1, 1] : tensor<64x128xf16> to tensor<64x32xf16>
  %aa = tensor.concat dim(1) %a1, %a1 : (tensor<64x32xf16>, tensor<64x32xf16>) -> tensor<64x64xf16>
  %aat = tile.transpose %aa : tensor<64x64xf16> -> tensor<64x64xf16>
  %u = tile.dot %a, %aat, %t : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %u, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
