tile.kernel @nest(%X: !tile.view<4x?x?xbf16> {tile.name = "X", tile.dims = ["B", "M", "N"]},
                  %Y: !tile.view<4x?x?xf32> {tile.name = "Y", tile.dims = ["B", "M", "N"]})
    attributes {tile.default_dims = {M = 32 : i64, N = 32 : i64}, groups = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %M = tile.dim %X, 1 : !tile.view<4x?x?xbf16>
  %N = tile.dim %X, 2 : !tile.view<4x?x?xbf16>
  tile.grid %c1, %c1, %c1 {raster = 4 : i64}
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %m = %c0 to %M step %c16 {
      scf.for %n = %c0 to %N step %c16 {
        %x = tile.load %X[%b, %m, %n] : !tile.view<4x?x?xbf16> -> tensor<16x16xbf16>
        %f = arith.extf %x : tensor<16x16xbf16> to tensor<16x16xf32>
        %first = arith.cmpi eq, %n, %c0 : index
        %y = scf.if %first -> (tensor<16x16xf32>) {
          %t = tile.transpose %f : tensor<16x16xf32> -> tensor<16x16xf32>
          scf.yield %t : tensor<16x16xf32>
        } else {
          scf.yield %f : tensor<16x16xf32>
        }
        tile.store %y, %Y[%b, %m, %n] {dims = array<i64: 1, 2>} : tensor<16x16xf32>, !tile.view<4x?x?xf32>
      }
    }
  }
  tile.return
}
