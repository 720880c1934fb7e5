// Sums down the columns of a product, whose rows lie in lanes, registers and warps of a group: warps join what they
// have once for each column, not for each register.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s
// RUN: sed 's/ reverse//' %s > %t.mlir && heddle run %t.mlir --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: hd::scanLanes<4, true>
// CUDA: hd::scanLanes<16, true>
// CUDA: float [[BLOCKS:.*]][16];
// CUDA: hd::scanWarps<3, 28, 20, true, false>(
// CUDA-NOT: hd::scanWarps
tile.kernel @scan_of_product(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                             %B: !tile.view<64x64xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                             %S: !tile.view<?x64xf32> {tile.name = "S", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.dim %A, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %m, %c64 : index
  tile.grid %programs
  %p = tile.program_id 0
  %row = arith.muli %p, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %A[%row, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %b = tile.load %B[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
  %x = tile.dot %a, %bt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %s = tile.scan "add" %x axis 0 reverse : tensor<64x64xf32>
  tile.store %s, %S[%row, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
