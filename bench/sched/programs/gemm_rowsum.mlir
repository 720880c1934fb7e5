// examples/06_rowsum.mlir with the sums beside the products, as every program had them: C = A * B^T and
// R[m] = sum over k of A[m, k].
tile.kernel @gemm_rowsum(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                         %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                         %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                         %R: !tile.view<?xf32> {tile.name = "R", tile.dims = ["M"]})
    attributes {plan = {once = false}, tile.default_dims = {M = 256, N = 256, K = 192}} {
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
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %acc, %rows = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero, %row = %zero1)
      -> (tensor<128x128xf32>, tensor<128xf32>) {
    %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %a32 = arith.extf %a : tensor<128x64xf16> to tensor<128x64xf32>
    %part = tile.reduce "add" %a32 axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %nextRow = arith.addf %row, %part : tensor<128xf32>
    scf.yield %next, %nextRow : tensor<128x128xf32>, tensor<128xf32>
  }
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.store %rows, %R[%m] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
