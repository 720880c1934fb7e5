// LayerNorm of rows of 8192 numbers with gain and bias, a row a program.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// Four blocks share a multiprocessor; the bias, the same for all rows, is loaded where it is added.
// CUDA: __global__ void __launch_bounds__(256, 4)
// CUDA: x32[r] = x32[r] * g[r]
// CUDA: p2 = reinterpret_cast<const uint16_t *>(B)
// CUDA: x32[r] = x32[r] + b[r]
tile.kernel @layernorm_rows(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                    %G: !tile.view<8192xf16> {tile.name = "G"}, %B: !tile.view<8192xf16> {tile.name = "B"},
                    %Y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 3, N = 8192}} {
  %c0 = arith.constant 0 : index
  %m = tile.program_id 0
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  tile.grid %M
  %x = tile.load %X[%m, %c0] : !tile.view<?x?xf16> -> tensor<1x8192xf16>
  %x32 = arith.extf %x : tensor<1x8192xf16> to tensor<1x8192xf32>
  %sum = tile.reduce "add" %x32 axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
  %share = arith.constant dense<1.220703125e-4> : tensor<1xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<1xf32>
  %mean = arith.mulf %sum, %share : tensor<1xf32>
  %means = tile.broadcast %mean axis 1 : tensor<1xf32> -> tensor<1x8192xf32>
  %d = arith.subf %x32, %means : tensor<1x8192xf32>
  %dd = arith.mulf %d, %d : tensor<1x8192xf32>
  %sum2 = tile.reduce "add" %dd axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
  %variance = arith.mulf %sum2, %share : tensor<1xf32>
  %more = arith.addf %variance, %eps : tensor<1xf32>
  %r = math.rsqrt %more : tensor<1xf32>
  %rs = tile.broadcast %r axis 1 : tensor<1xf32> -> tensor<1x8192xf32>
  %g16 = tile.load %G[%c0] : !tile.view<8192xf16> -> tensor<8192xf16>
  %g = arith.extf %g16 : tensor<8192xf16> to tensor<8192xf32>
  %gs = tile.broadcast %g axis 0 : tensor<8192xf32> -> tensor<1x8192xf32>
  %b16 = tile.load %B[%c0] : !tile.view<8192xf16> -> tensor<8192xf16>
  %b = arith.extf %b16 : tensor<8192xf16> to tensor<8192xf32>
  %bs = tile.broadcast %b axis 0 : tensor<8192xf32> -> tensor<1x8192xf32>
  %n = arith.mulf %d, %rs : tensor<1x8192xf32>
  %s = arith.mulf %n, %gs : tensor<1x8192xf32>
  %y = arith.addf %s, %bs : tensor<1x8192xf32>
  %h = arith.truncf %y : tensor<1x8192xf32> to tensor<1x8192xf16>
  tile.store %h, %Y[%m, %c0] : tensor<1x8192xf16>, !tile.view<?x?xf16>
  tile.return
}
