// A right operand whose rows have 16 bytes: once refused.
tile.kernel @narrow(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %B: !tile.view<64x8xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                    %C: !tile.view<?x8xf32> {tile.name = "C", tile.dims = ["M",
                        "N"]}) attributes {tile.default_dims = {M = 64}} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %b = tile.load %B[%c0, %c0] : !tile.view<64x8xf16> -> tensor<64x8xf16>
  %c = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x8xf16>, tensor<64x8xf32>
  tile.store %c, %C[%c0, %c0] : tensor<64x8xf32>, !tile.view<?x8xf32>
  tile.return
}
