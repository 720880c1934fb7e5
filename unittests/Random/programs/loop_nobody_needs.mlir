// A tile that only a loop reads whose results nobody uses: no ring is made for it.
tile.kernel @unneeded(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "N"]},
    %P: !tile.view<?x?xf16> {tile.name = "P", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 100, N = 72}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.dim %A, 0 : !tile.view<?x?xf16>
  %n = tile.dim %A, 1 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %m, %c64 : index
  tile.grid %programs
  %pid = tile.program_id 0
  %i = arith.muli %pid, %c64 : index
  %a = tile.load %A[%i, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %unused = scf.for %j = %c0 to %n step %c64 iter_args(%sum = %a) -> (tensor<64x64xf16>) {
    %inner = scf.for %k = %c0 to %n step %c64 iter_args(%s = %sum) -> (tensor<64x64xf16>) {
      %b = tile.load %A[%i, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
      %t = arith.addf %s, %b : tensor<64x64xf16>
      scf.yield %t : tensor<64x64xf16>
    }
    %more = arith.addf %inner, %a : tensor<64x64xf16>
    scf.yield %more : tensor<64x64xf16>
  }
  %c = tile.load %A[%i, %c64] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  tile.store %c, %P[%i, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
