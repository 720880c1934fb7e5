// A product whose loop counts the columns itself.
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256 : i64, N = 256 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 256 in [64, 96, 128, 160, 176, 192, 208, 224, 256]
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
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc, %end = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero, %at = %c0) -> (tensor<128x256xf32>, index) {
    %a = tile.load %A[%m, %at] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %at] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    %then = arith.addi %at, %bk : index
    scf.yield %next, %then : tensor<128x256xf32>, index
  }
  %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %c, %C[%m, %n] : tensor<128x256xf16>, !tile.view<?x?xf16>
  tile.return
}
