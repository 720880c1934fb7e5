// A decay of each row, whose sums stand along rows and columns of the weights and scale rows of the keys: what only
// rows are scaled with is computed of four numbers a thread, though its operand lies along columns, of which a thread
// has a quarter. The same sum, said twice, is made once; so is a part of a vector that several readers cut out.
// RUN: rm -rf %t
// RUN: env HEDDLE_CACHE=%t heddle compile %s --emit=hw | FileCheck %s --check-prefix=ROWS
// RUN: env HEDDLE_CACHE=%t heddle compile %s --emit=tile | FileCheck %s --check-prefix=ONCE
// RUN: env HEDDLE_CACHE=%t heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// ONCE-COUNT-2: tile.reduce "add"
// ONCE-NOT: tile.reduce "add"
// ROWS: %[[SUMS:.*]] = tile.scan
// ROWS: %[[OF_ROWS:.*]] = hw.convert_layout %[[SUMS]] {cost = "shared"}
// ROWS-NEXT: arith.subf {{.*}}%[[OF_ROWS]]
// ROWS-NEXT: math.exp
tile.kernel @decays_of_rows(%Q: !tile.view<?x?x64xf16> {tile.name = "Q", tile.dims = ["H", "S", "D64"]},
    %K: !tile.view<?x?x64xf16> {tile.name = "K", tile.dims = ["H", "S", "D64"]},
    %V: !tile.view<?x?x64xf16> {tile.name = "V", tile.dims = ["H", "S", "D64"]},
    %O: !tile.view<?x?x64xf16> {tile.name = "O", tile.dims = ["H", "S", "D64"]},
    %G: !tile.view<?x?xf32> {tile.name = "G", tile.dims = ["H", "S"]})
    attributes {tile.default_dims = {H = 2, S = 320}} {
  %ct0 = arith.constant dense<0.0> : tensor<128x128xf32>
  %ct1 = arith.constant dense<0.0> : tensor<64x64xf32>
  %ci2 = arith.constant 0 : index
  %ci3 = arith.constant 128 : index
  %ct4 = arith.constant dense<0.1> : tensor<128xf32>
  %ct5 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %ct6 = arith.constant dense<0.0> : tensor<128x64xf32>
  %ct7 = arith.constant dense<0.125> : tensor<128x64xf32>
  %d1 = tile.dim %Q, 0 : !tile.view<?x?x64xf16>
  %d2 = tile.dim %Q, 1 : !tile.view<?x?x64xf16>
  tile.grid %d1
  %p3 = tile.program_id 0
  %v4 = tile.iota : tensor<128xi32>
  %b5 = tile.broadcast %v4 axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %b6 = tile.broadcast %v4 axis 0 : tensor<128xi32> -> tensor<128x128xi32>
  %v7 = arith.cmpi sle, %b6, %b5 : tensor<128x128xi32>
  %R12:1 = scf.for %i10 = %ci2 to %d2 step %ci3 iter_args(%a11 = %ct1) -> (tensor<64x64xf32>) {
    %l13 = tile.load %Q[%p3, %i10, %ci2] {dims = array<i64: 1, 2>} : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
    %l14 = tile.load %K[%p3, %i10, %ci2] {dims = array<i64: 1, 2>} : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
    %l15 = tile.load %V[%p3, %i10, %ci2] {dims = array<i64: 1, 2>} : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
    %t16 = tile.transpose %l14 : tensor<128x64xf16> -> tensor<64x128xf16>
    %l17 = tile.load %G[%p3, %i10] {dims = array<i64: 1>} : !tile.view<?x?xf32> -> tensor<128xf32>
    %v18 = math.absf %l17 : tensor<128xf32>
    %v19 = arith.negf %v18 : tensor<128xf32>
    %v20 = arith.mulf %v19, %ct4 : tensor<128xf32>
    %c21 = tile.scan "add" %v20 axis 0 : tensor<128xf32>
    %b22 = tile.broadcast %v20 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %r23 = tile.reduce "add" %b22 axis 0 : tensor<128x128xf32> -> tensor<128xf32>
    %s24 = tile.dot %l13, %t16, %ct0 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %b25 = tile.broadcast %c21 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %b26 = tile.broadcast %c21 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %v27 = arith.subf %b25, %b26 : tensor<128x128xf32>
    %v28 = arith.select %v7, %v27, %ct5 : tensor<128x128xi1>, tensor<128x128xf32>
    %v29 = math.exp %v28 : tensor<128x128xf32>
    %v30 = arith.mulf %s24, %v29 : tensor<128x128xf32>
    %v31 = arith.truncf %v30 : tensor<128x128xf32> to tensor<128x128xf16>
    %v32 = arith.truncf %a11 : tensor<64x64xf32> to tensor<64x64xf16>
    %s33 = tile.dot %l13, %v32, %ct6 : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %v34 = math.exp %c21 : tensor<128xf32>
    %b35 = tile.broadcast %v34 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %v36 = arith.mulf %s33, %b35 : tensor<128x64xf32>
    %v37 = arith.mulf %v36, %ct7 : tensor<128x64xf32>
    %s38 = tile.dot %v31, %l15, %v37 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %v39 = arith.truncf %s38 : tensor<128x64xf32> to tensor<128x64xf16>
    tile.store %v39, %O[%p3, %i10, %ci2] {dims = array<i64: 1, 2>} : tensor<128x64xf16>, !tile.view<?x?x64xf16>
    %v40 = arith.extf %l14 : tensor<128x64xf16> to tensor<128x64xf32>
    %v41 = arith.subf %r23, %c21 : tensor<128xf32>
    %v42 = math.exp %v41 : tensor<128xf32>
    %b43 = tile.broadcast %v42 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %v44 = arith.mulf %v40, %b43 : tensor<128x64xf32>
    %v45 = arith.truncf %v44 : tensor<128x64xf32> to tensor<128x64xf16>
    %t46 = tile.transpose %v45 : tensor<128x64xf16> -> tensor<64x128xf16>
    %b47 = tile.broadcast %v20 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %r48 = tile.reduce "add" %b47 axis 0 : tensor<128x64xf32> -> tensor<64xf32>
    %v49 = math.exp %r48 : tensor<64xf32>
    %b50 = tile.broadcast %v49 axis 0 : tensor<64xf32> -> tensor<64x64xf32>
    %v51 = arith.mulf %a11, %b50 : tensor<64x64xf32>
    %s52 = tile.dot %t46, %l15, %v51 : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %s52 : tensor<64x64xf32>
  }
  tile.return
}
