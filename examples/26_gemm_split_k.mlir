// C = A * B^T in fp32 for few tiles and a long contraction: SPLIT programs share a tile. Each sums a part of the
// contraction, of whole steps of BK, and adds its sum to C in memory, which is zero before the launch. How many parts
// are best depends on the sizes: --param=SPLIT=4, or `heddle tune`.
tile.kernel @gemm_split_k(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                          %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                          %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 256, K = 576}} {
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 128 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %split = tile.param "SPLIT" = 2 in [1, 2, 3, 4, 6, 8, 12, 16]
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn, %split {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %part = tile.program_id 2
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  // Divide first and multiply by the width of the tile last: every part begins where the copy engine can.
  %steps = arith.ceildivui %K, %bk : index
  %each = arith.ceildivui %steps, %split : index
  %share = arith.muli %each, %bk : index
  %from = arith.muli %part, %share : index
  %after = arith.addi %from, %share : index
  %to = arith.minui %after, %K : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %from to %to step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %acc, %C[%m, %n] {kind = "add"} : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
