// Columns folded over the warps of a group, of widths that lanes cannot divide evenly: 80 columns are 20 of a thread,
// which are halved twice by three pairs of lanes, 72 are 18, 64 are 16. Sums and maxima, of floats and of integers.
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: sed 's/80/72/g' %s > %t.mlir && heddle run %t.mlir --device=emulate --interleavings=1 | FileCheck %s
// RUN: sed 's/80/64/g' %s > %t.mlir && heddle run %t.mlir --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA-COUNT-3: hd::foldWarps<3, 24, 4, 8, 16>(
tile.kernel @folds_over_warps(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                              %B: !tile.view<80x64xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                              %S: !tile.view<?x80xf32> {tile.name = "S", tile.dims = ["G", "N"]},
                              %L: !tile.view<?x80xf32> {tile.name = "L", tile.dims = ["G", "N"]},
                              %I: !tile.view<?x80xi32> {tile.name = "I", tile.dims = ["G", "N"]})
    attributes {tile.default_dims = {M = 120, G = 2}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.dim %A, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %m, %c64 : index
  tile.grid %programs
  %p = tile.program_id 0
  %m0 = arith.muli %p, %c64 : index
  %a = tile.load %A[%m0, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %b = tile.load %B[%c0, %c0] : !tile.view<80x64xf16> -> tensor<80x64xf16>
  %bt = tile.transpose %b : tensor<80x64xf16> -> tensor<64x80xf16>
  %zero = arith.constant dense<0.0> : tensor<64x80xf32>
  %c = tile.dot %a, %bt, %zero : tensor<64x64xf16>, tensor<64x80xf16>, tensor<64x80xf32>
  %s = tile.reduce "add" %c axis 0 : tensor<64x80xf32> -> tensor<80xf32>
  %l = tile.reduce "max" %c axis 0 : tensor<64x80xf32> -> tensor<80xf32>
  %limit = arith.constant dense<1.0> : tensor<64x80xf32>
  %more = arith.cmpf ogt, %c, %limit : tensor<64x80xf32>
  %one = arith.extui %more : tensor<64x80xi1> to tensor<64x80xi32>
  %i = tile.reduce "add" %one axis 0 : tensor<64x80xi32> -> tensor<80xi32>
  tile.store %s, %S[%p, %c0] {dims = array<i64: 1>} : tensor<80xf32>, !tile.view<?x80xf32>
  tile.store %l, %L[%p, %c0] {dims = array<i64: 1>} : tensor<80xf32>, !tile.view<?x80xf32>
  tile.store %i, %I[%p, %c0] {dims = array<i64: 1>} : tensor<80xi32>, !tile.view<?x80xi32>
  tile.return
}
