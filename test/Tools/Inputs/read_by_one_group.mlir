// 48 rows are one group's alone: the other one takes part in the ring and reads nothing.
tile.kernel @part(%A: !tile.view<?x64xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<64x64xbf16> {tile.name = "B", tile.dims = ["K", "N"]},
                  %X: !tile.view<?x64xbf16> {tile.name = "X", tile.dims = ["P", "K"]},
                  %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["P", "K"]}) {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %m = tile.dim %A, 0 : !tile.view<?x64xbf16>
  %blocks = arith.ceildivui %m, %c128 : index
  tile.grid %blocks
  %p = tile.program_id 0
  %i = arith.muli %p, %c128 : index
  %j = arith.muli %p, %c48 : index
  %a = tile.load %A[%i, %c0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
  %b = tile.load %B[%c0, %c0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
  %c = tile.dot %a, %b, %zero : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
  %x = tile.load %X[%j, %c0] : !tile.view<?x64xbf16> -> tensor<48x64xbf16>
  %y = arith.extf %x : tensor<48x64xbf16> to tensor<48x64xf32>
  tile.store %y, %Y[%j, %c0] : tensor<48x64xf32>, !tile.view<?x64xf32>
  tile.store %c, %C[%i, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
