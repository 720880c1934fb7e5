// Two dots per iteration share one operand: C = A * B^T and D = A * E^T. A is loaded once for both.
tile.kernel @two_dots(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                      %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                      %E: !tile.view<?x?xf16> {tile.name = "E", tile.dims = ["N", "K"]},
                      %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                      %D: !tile.view<?x?xf16> {tile.name = "D", tile.dims = ["M", "N"]})
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
  %accC, %accD = scf.for %k = %c0 to %K step %bk iter_args(%sumC = %zero, %sumD = %zero)
      -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %nextC = tile.dot %a, %bt, %sumC : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %e = tile.load %E[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %et = tile.transpose %e : tensor<128x64xf16> -> tensor<64x128xf16>
    %nextD = tile.dot %a, %et, %sumD : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %nextC, %nextD : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %c = arith.truncf %accC : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  %d = arith.truncf %accD : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %d, %D[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
