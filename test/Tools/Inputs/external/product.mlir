// A product whose left operand goes through a function of the user's, which act.cuh has.
tile.kernel @ext(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256 : i64, N = 256 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %slope = arith.constant dense<0.25> : tensor<128x64xf16>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %l = tile.call "mine::leaky" from "act.cuh" cost {alu = 2, alu_half = 1} (%a, %slope)
        : (tensor<128x64xf16>, tensor<128x64xf16>) -> tensor<128x64xf16> {
    ^bb0(%e: f16, %s: f16):
      %z = arith.constant 0.0 : f16
      %p = arith.mulf %s, %e : f16
      %c = arith.cmpf ogt, %e, %z : f16
      %r = arith.select %c, %e, %p : f16
      tile.yield %r : f16
    }
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %l, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %h = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %h, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
