// The delta rule in chunks of 64 rows: V' = U - W S, O = Q S + tril(Q K^T) V', S += K^T V'. Two groups divide the
// columns of values and state, and both compute the scores: 2304 cycles of products. With rows of the state divided
// both would compute all else, 3584 cycles, and the kernel ran at 0.79 of its speed.
// RUN: heddle run %s --device=sim --input 'K=uniform(-0.05,0.05)' --input 'W=uniform(-0.02,0.02)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 \
// RUN: --input 'K=uniform(-0.05,0.05)' --input 'W=uniform(-0.02,0.02)' | FileCheck %s --check-prefix=RIGHT
// CHECK: unit 'TC' is busy 2304 cycles
// CHECK: {{^}}verified
// CHECK: note: the rounding errors of {{[0-9]+}} elements may exceed the numbers themselves
// RIGHT: {{^}}verified
tile.kernel @delta_rule(%Q: !tile.view<?x?x?x128xbf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xbf16> {tile.name = "K", tile.dims = ["B", "H", "S", "D"]},
    %W: !tile.view<?x?x?x128xbf16> {tile.name = "W", tile.dims = ["B", "H", "S", "D"]},
    %U: !tile.view<?x?x?x128xbf16> {tile.name = "U", tile.dims = ["B", "H", "S", "D"]},
    %O: !tile.view<?x?x?x128xbf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
    %Sf: !tile.view<?x?x128x128xf32> {tile.name = "Sf", tile.dims = ["B", "H", "D", "D2"]})
    attributes {tile.default_dims = {B = 1, H = 1, S = 200, D2 = 128}} {
  %c0 = arith.constant dense<0.0> : tensor<128x128xf32>
  %c1 = arith.constant 0 : index
  %c2 = arith.constant 64 : index
  %c3 = arith.constant dense<0.0> : tensor<64x128xf32>
  %c4 = arith.constant dense<0.0> : tensor<64x64xf32>
  %v1 = tile.dim %Q, 1 : !tile.view<?x?x?x128xbf16>
  %v2 = tile.dim %Q, 0 : !tile.view<?x?x?x128xbf16>
  tile.grid %v1, %v2
  %v3 = tile.program_id 0
  %v4 = tile.program_id 1
  %v5 = tile.dim %Q, 2 : !tile.view<?x?x?x128xbf16>
  %v6 = tile.iota : tensor<64xi32>
  %v7 = tile.broadcast %v6 axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %v8 = tile.broadcast %v6 axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %v9 = arith.cmpi sle, %v7, %v8 : tensor<64x64xi32>
  %v12 = scf.for %v10 = %c1 to %v5 step %c2 iter_args(%v11 = %c0) -> (tensor<128x128xf32>) {
    %v13 = tile.load %Q[%v4, %v3, %v10, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %v14 = tile.load %K[%v4, %v3, %v10, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %v15 = tile.load %W[%v4, %v3, %v10, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %v16 = tile.load %U[%v4, %v3, %v10, %c1] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %v17 = arith.extf %v16 : tensor<64x128xbf16> to tensor<64x128xf32>
    %v18 = arith.truncf %v11 : tensor<128x128xf32> to tensor<128x128xbf16>
    %v19 = tile.dot %v15, %v18, %c3 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    %v20 = arith.subf %v17, %v19 : tensor<64x128xf32>
    %v21 = arith.truncf %v20 : tensor<64x128xf32> to tensor<64x128xbf16>
    %v22 = tile.transpose %v14 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v23 = tile.dot %v13, %v22, %c4 : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %v24 = arith.select %v9, %v23, %c4 : tensor<64x64xi1>, tensor<64x64xf32>
    %v25 = arith.truncf %v24 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v26 = tile.dot %v13, %v18, %c3 : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    %v27 = tile.dot %v25, %v21, %v26 : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %v28 = arith.truncf %v27 : tensor<64x128xf32> to tensor<64x128xbf16>
    tile.store %v28, %O[%v4, %v3, %v10, %c1] : tensor<64x128xbf16>, !tile.view<?x?x?x128xbf16>
    %v29 = tile.transpose %v14 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v30 = tile.dot %v29, %v21, %v11 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %v30 : tensor<128x128xf32>
  }
  tile.store %v12, %Sf[%v4, %v3, %c1, %c1] : tensor<128x128xf32>, !tile.view<?x?x128x128xf32>
  tile.return
}
