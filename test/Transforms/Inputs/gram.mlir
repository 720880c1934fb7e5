// G += (A B^T)^T A: the second product contracts the rows of the first, which warp groups divide.
tile.kernel @gram(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]}, %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                  %G: !tile.view<?x64xf32> {tile.name = "G", tile.dims = ["N", "D"]}) attributes {tile.default_dims = {M = 300 : i64, N = 100 : i64}} {
  %c0 = arith.constant 0 : index
  %bn = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %N = tile.dim %B, 0 : !tile.view<?x64xf16>
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gn
  %pn = tile.program_id 0
  %n = arith.muli %pn, %bn : index
  %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %sum = scf.for %m = %c0 to %M step %bm iter_args(%last = %none) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %s = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %sh = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
    %st = tile.transpose %sh : tensor<128x64xf16> -> tensor<64x128xf16>
    %g = tile.dot %st, %a, %none : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %gs = arith.mulf %g, %half : tensor<64x64xf32>
    tile.store %gs, %G[%n, %c0] {kind = "add"} : tensor<64x64xf32>, !tile.view<?x64xf32>
    scf.yield %none : tensor<64x64xf32>
  }
  tile.return
}
