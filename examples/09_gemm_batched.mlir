// A batch of independent products C[z] = A[z] * B[z]^T: rank-3 views, the batch comes from the third grid dimension.
tile.kernel @gemm_batched(%A: !tile.view<?x?x?xf16> {tile.name = "A", tile.dims = ["Z", "M", "K"]},
                          %B: !tile.view<?x?x?xf16> {tile.name = "B", tile.dims = ["Z", "N", "K"]},
                          %C: !tile.view<?x?x?xf16> {tile.name = "C", tile.dims = ["Z", "M", "N"]})
    attributes {tile.default_dims = {Z = 2, M = 256, N = 256, K = 192}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 128 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %Z = tile.dim %A, 0 : !tile.view<?x?x?xf16>
  %M = tile.dim %A, 1 : !tile.view<?x?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?x?xf16>
  %K = tile.dim %A, 2 : !tile.view<?x?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn, %Z {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %z = tile.program_id 2
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%z, %m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%z, %n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%z, %m, %n] : tensor<128x128xf16>, !tile.view<?x?x?xf16>
  tile.return
}
