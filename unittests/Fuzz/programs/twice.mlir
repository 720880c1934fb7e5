tile.kernel @twice(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["M", "D"]},
                   %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["N", "D"]},
                   %O: !tile.view<?x64xf16> {tile.name = "O", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 64 : i64, N = 128 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %N = tile.dim %K, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %M, %c64 : index
  tile.grid %gm
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %n = %c0 to %N step %c64 iter_args(%o = %zero) -> (tensor<64x64xf32>) {
    %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %r = tile.dot %h, %k, %o : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %out = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %out, %O[%m, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  tile.return
}
