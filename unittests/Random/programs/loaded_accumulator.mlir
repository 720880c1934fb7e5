// A dot without a loop that adds to a loaded tile; the tile is stored as well.
tile.kernel @accumulate(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                        %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]},
                        %P: !tile.view<?x64xf32> {tile.name = "P", tile.dims = ["M", "N"]},
                        %Q: !tile.view<?x64xf32> {tile.name = "Q", tile.dims = ["M",
                            "N"]}) attributes {tile.default_dims = {M = 100}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.dim %A, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %m, %c64 : index
  tile.grid %programs
  %pid = tile.program_id 0
  %i = arith.muli %pid, %c64 : index
  %a = tile.load %A[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %c = tile.load %C[%i, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  tile.store %c, %Q[%i, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  %d = tile.dot %a, %a, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %P[%i, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
