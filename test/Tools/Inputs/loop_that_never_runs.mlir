// Uses of the ring of a loop that never runs are counted by nobody.
tile.kernel @never(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "P"]},
                   %W: !tile.view<64x64xf16> {tile.name = "W", tile.dims = ["P", "Q"]},
                   %C: !tile.view<?x64xf16> {tile.name = "C", tile.dims = ["M", "Q"]}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.grid %c2
  %p = tile.program_id 0
  %i = arith.muli %p, %c64 : index
  %sum = scf.for %k = %c0 to %c0 step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%i, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %x = tile.load %X[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %w = tile.load %W[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %y = tile.dot %x, %w, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %both = arith.addf %sum, %y : tensor<64x64xf32>
  %h = arith.truncf %both : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %h, %C[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  tile.return
}
