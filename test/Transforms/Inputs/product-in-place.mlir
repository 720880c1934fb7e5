// C = C + A B: blocks of a cluster that are left over must neither store nor read what others store.
tile.kernel @product_in_place(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                              %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                              %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200 : i64, N = 136 : i64, K = 72 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c64 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %old = tile.load %C[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
  %new = arith.addf %old, %acc : tensor<64x64xf32>
  tile.store %new, %C[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
