// Chunks of a linear attention: a state of 128 x 128, half of a thread's registers, is read and added to in one
// iteration, so that the product adds into a copy that takes the state's registers.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// RUN: heddle compile %s --groups=1 --emit=warp | FileCheck %s --check-prefix=WARP
// CHECK: {{^}}verified
// WARP: warp.dot {{.*}} acc(
tile.kernel @state128(%Q: !tile.view<?x128xbf16> {tile.name = "Q", tile.dims = ["T", "D"]},
                      %K: !tile.view<?x128xbf16> {tile.name = "K", tile.dims = ["T", "D"]},
                      %V: !tile.view<?x128xbf16> {tile.name = "V", tile.dims = ["T", "D"]},
                      %O: !tile.view<?x128xbf16> {tile.name = "O", tile.dims = ["T", "D"]})
    attributes {tile.default_dims = {T = 192}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %T = tile.dim %Q, 0 : !tile.view<?x128xbf16>
  tile.grid %c1
  %z = arith.constant dense<0.0> : tensor<128x128xf32>
  %zo = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = scf.for %t = %c0 to %T step %c64 iter_args(%s = %z) -> (tensor<128x128xf32>) {
    %q = tile.load %Q[%t, %c0] : !tile.view<?x128xbf16> -> tensor<64x128xbf16>
    %sh = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xbf16>
    %y = tile.dot %q, %sh, %zo : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    %yh = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %yh, %O[%t, %c0] : tensor<64x128xbf16>, !tile.view<?x128xbf16>
    %k = tile.load %K[%t, %c0] : !tile.view<?x128xbf16> -> tensor<64x128xbf16>
    %v = tile.load %V[%t, %c0] : !tile.view<?x128xbf16> -> tensor<64x128xbf16>
    %kt = tile.transpose %k : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %n = tile.dot %kt, %v, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %n : tensor<128x128xf32>
  }
  tile.return
}
