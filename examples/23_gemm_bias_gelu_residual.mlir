// An epilogue with all that a layer may want: C = gelu(A * B^T + bias) + R, where gelu(x) = x / (1 + exp(-2 u)) with
// u = sqrt(2 / pi) * (x + 0.044715 x^3), which is its form with tanh. Bias and residual are read after the loop.
tile.kernel @gemm_bias_gelu_residual(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                                     %bias: !tile.view<?xf16> {tile.name = "bias", tile.dims = ["N"]},
                                     %R: !tile.view<?x?xf16> {tile.name = "R", tile.dims = ["M", "N"]},
                                     %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 256, K = 192}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 128 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %bias16 = tile.load %bias[%n] {tile.sizes = ["BN"]} : !tile.view<?xf16> -> tensor<128xf16>
  %bias32 = arith.extf %bias16 : tensor<128xf16> to tensor<128xf32>
  %rows = tile.broadcast %bias32 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
  %x = arith.addf %acc, %rows : tensor<128x128xf32>
  // -2 u = x * (a + b * x^2), at most 80, from where on gelu(x) is too small for fp16 and exp overflows
  %a = arith.constant dense<-1.595769122> : tensor<128x128xf32>
  %b = arith.constant dense<-0.071354816> : tensor<128x128xf32>
  %most = arith.constant dense<80.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %x2 = arith.mulf %x, %x : tensor<128x128xf32>
  %bx2 = arith.mulf %x2, %b : tensor<128x128xf32>
  %factor = arith.addf %bx2, %a : tensor<128x128xf32>
  %product = arith.mulf %x, %factor : tensor<128x128xf32>
  %minus2u = arith.minimumf %product, %most : tensor<128x128xf32>
  %exp = math.exp %minus2u : tensor<128x128xf32>
  %below = arith.addf %one, %exp : tensor<128x128xf32>
  %gelu = arith.divf %x, %below : tensor<128x128xf32>
  %r = tile.load %R[%m, %n] {tile.sizes = ["BM", "BN"]} : !tile.view<?x?xf16> -> tensor<128x128xf16>
  %r32 = arith.extf %r : tensor<128x128xf16> to tensor<128x128xf32>
  %result = arith.addf %gelu, %r32 : tensor<128x128xf32>
  %c = arith.truncf %result : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
