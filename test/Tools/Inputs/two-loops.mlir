// Two products one after the other, over different views: C = A * B^T + D * E^T.
tile.kernel @two_loops(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                       %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                       %D: !tile.view<?x?xf16> {tile.name = "D", tile.dims = ["M", "L"]},
                       %E: !tile.view<?x?xf16> {tile.name = "E", tile.dims = ["N", "L"]},
                       %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128, N = 128, K = 192, L = 128}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %L = tile.dim %D, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bm : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bm : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %first = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %acc = scf.for %k = %c0 to %L step %bk iter_args(%sum = %first) -> (tensor<128x128xf32>) {
    %a = tile.load %D[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %E[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
