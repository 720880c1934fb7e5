// Operand orders: A is stored K x M (contiguous along M) and transposed after the load, B is stored K x N.
tile.kernel @gemm_tn(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["K", "M"]},
                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                     %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 512, K = 192}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 256 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %M = tile.dim %A, 1 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 0 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %at = tile.load %A[%k, %m] {tile.sizes = ["BK", "BM"]} : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %a = tile.transpose %at : tensor<64x128xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%k, %n] {tile.sizes = ["BK", "BN"]} : !tile.view<?x?xf16> -> tensor<64x256xf16>
    %next = tile.dot %a, %b, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %c, %C[%m, %n] : tensor<128x256xf16>, !tile.view<?x?xf16>
  tile.return
}
