// The lower triangle of A A^T, by blocks: programs above the diagonal leave at once.
tile.kernel @triangle(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                      %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "M"]})
    attributes {tile.default_dims = {M = 384 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  tile.grid %gm, %gm
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %below = arith.cmpi uge, %pm, %pn : index
  scf.if %below {
    %m = arith.muli %pm, %bm : index
    %n = arith.muli %pn, %bm : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %A[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %t = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
      %next = tile.dot %a, %t, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
    tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  }
  tile.return
}
