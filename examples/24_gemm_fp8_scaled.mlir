// 8-bit floats with a scale for each row of A and each column of C: C[m, n] = scaleA[m] * scaleB[n] * (A * B^T)[m, n],
// in bf16. The tensor core adds up the whole contraction; test/Programs/gemm_fp8_promoted.mlir adds blocks in fp32.
tile.kernel @gemm_fp8_scaled(%A: !tile.view<?x?xf8E4M3FN> {tile.name = "A", tile.dims = ["M", "K"]},
                             %B: !tile.view<?x?xf8E4M3FN> {tile.name = "B", tile.dims = ["N", "K"]},
                             %scaleA: !tile.view<?xf32> {tile.name = "scaleA", tile.dims = ["M"]},
                             %scaleB: !tile.view<?xf32> {tile.name = "scaleB", tile.dims = ["N"]},
                             %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 512, K = 384}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 256 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 128 in [64, 128, 256]
  %M = tile.dim %A, 0 : !tile.view<?x?xf8E4M3FN>
  %N = tile.dim %B, 0 : !tile.view<?x?xf8E4M3FN>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
    %bt = tile.transpose %b : tensor<256x128xf8E4M3FN> -> tensor<128x256xf8E4M3FN>
    %next = tile.dot %a, %bt, %sum : tensor<128x128xf8E4M3FN>, tensor<128x256xf8E4M3FN>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %rowScale = tile.load %scaleA[%m] {tile.sizes = ["BM"]} : !tile.view<?xf32> -> tensor<128xf32>
  %columnScale = tile.load %scaleB[%n] {tile.sizes = ["BN"]} : !tile.view<?xf32> -> tensor<256xf32>
  %scaleRows = tile.broadcast %rowScale axis 1 : tensor<128xf32> -> tensor<128x256xf32>
  %scaleColumns = tile.broadcast %columnScale axis 0 : tensor<256xf32> -> tensor<128x256xf32>
  %scaled = arith.mulf %acc, %scaleRows : tensor<128x256xf32>
  %result = arith.mulf %scaled, %scaleColumns : tensor<128x256xf32>
  %c = arith.truncf %result : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %c, %C[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  tile.return
}
