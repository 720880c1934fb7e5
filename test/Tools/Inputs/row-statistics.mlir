// No dot: two chains of sums over a row, one of them of the exponential.
tile.kernel @row_statistics(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                            %S: !tile.view<?xf32> {tile.name = "S", tile.dims = ["M"]},
                            %E: !tile.view<?xf32> {tile.name = "E", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 256, N = 256}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m = arith.muli %pm, %bm : index
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %sum, %exp = scf.for %n = %c0 to %N step %bn iter_args(%s = %zero, %e = %zero) -> (tensor<128xf32>, tensor<128xf32>) {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %wide = arith.extf %x : tensor<128x64xf16> to tensor<128x64xf32>
    %part = tile.reduce "add" %wide axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %next = arith.addf %s, %part : tensor<128xf32>
    %power = math.exp2 %wide : tensor<128x64xf32>
    %expPart = tile.reduce "add" %power axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %expNext = arith.addf %e, %expPart : tensor<128xf32>
    scf.yield %next, %expNext : tensor<128xf32>, tensor<128xf32>
  }
  tile.store %sum, %S[%m] : tensor<128xf32>, !tile.view<?xf32>
  tile.store %exp, %E[%m] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
