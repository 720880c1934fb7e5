// Rows of A, scaled, times those rows of B that lie below: the trips differ from program to program. A tile that the
// whole program needs is loaded before its loop, one behind it; the scaled tile is staged for the product.
tile.kernel @turns(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                   %S: !tile.view<?x?xf16> {tile.name = "S", tile.dims = ["M", "D"]},
                   %R: !tile.view<?x?xf32> {tile.name = "R", tile.dims = ["M", "N"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {groups = 1, tile.default_dims = {M = 640, N = 72, K = 320, D = 64}, plan = {persistent = true}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %end = arith.minui %m, %K : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %scale = tile.load %S[%m, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %sum = scf.for %k = %c0 to %end step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %scaled = arith.mulf %b, %scale : tensor<64x64xf16>
    %next = tile.dot %a, %scaled, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %rest = tile.load %R[%m, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
  %c = arith.addf %sum, %rest : tensor<64x64xf32>
  tile.store %c, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
