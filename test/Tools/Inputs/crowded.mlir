// A loop that needs four tiles of 64 KB from before it.
tile.kernel @crowded(%Q: !tile.view<?x?xf16> {tile.name = "Q", tile.dims = ["M", "K"]},
                     %B: !tile.view<?x256xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                     %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "L"]}) {
  %c0 = arith.constant 128 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant 256 : index
  %c3 = arith.constant 512 : index
  %c4 = arith.constant 768 : index
  %c5 = arith.constant dense<0.00000000000000000e+00> : tensor<128x64xf32>
  %c6 = arith.constant 64 : index
  %v1 = tile.dim %Q, 0 : !tile.view<?x?xf16>
  %v2 = arith.ceildivui %v1, %c0 : index
  tile.grid %v2
  %v3 = tile.program_id 0
  %v4 = arith.muli %v3, %c0 : index
  %v5 = tile.load %Q[%v4, %c1] : !tile.view<?x?xf16> -> tensor<128x256xf16>
  %v6 = tile.load %Q[%v4, %c2] : !tile.view<?x?xf16> -> tensor<128x256xf16>
  %v7 = tile.load %Q[%v4, %c3] : !tile.view<?x?xf16> -> tensor<128x256xf16>
  %v8 = tile.load %Q[%v4, %c4] : !tile.view<?x?xf16> -> tensor<128x256xf16>
  %v9 = tile.dim %B, 0 : !tile.view<?x256xf16>
  %v18 = scf.for %v10 = %c1 to %v9 step %c6 iter_args(%v11 = %c5) -> (tensor<128x64xf32>) {
    %v12 = tile.load %B[%v10, %c1] : !tile.view<?x256xf16> -> tensor<64x256xf16>
    %v13 = tile.transpose %v12 : tensor<64x256xf16> -> tensor<256x64xf16>
    %v14 = tile.dot %v5, %v13, %v11 : tensor<128x256xf16>, tensor<256x64xf16>, tensor<128x64xf32>
    %v15 = tile.dot %v6, %v13, %v14 : tensor<128x256xf16>, tensor<256x64xf16>, tensor<128x64xf32>
    %v16 = tile.dot %v7, %v13, %v15 : tensor<128x256xf16>, tensor<256x64xf16>, tensor<128x64xf32>
    %v17 = tile.dot %v8, %v13, %v16 : tensor<128x256xf16>, tensor<256x64xf16>, tensor<128x64xf32>
    scf.yield %v17 : tensor<128x64xf32>
  }
  tile.store %v18, %C[%v4, %c1] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

