// A product with decisions of its author: the sum of iteration i is computed with stage 1.
tile.kernel @pinned(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128 : i64, N = 128 : i64, K = 192 : i64}, plan = {groups = 2}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1, %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%c0, %k] {plan = {label = "A", ring = 3}} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum {plan = {label = "S", stage = [1, 2]}}
        : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  } {plan = {label = "blocks"}}
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%c0, %c0] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
