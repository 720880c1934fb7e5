// Heads side by side in the columns of one view: a column that is a multiple of a size that a type states.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda 2>&1 | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA-NOT: warning
// CUDA: hd::tmaLoad({{.*}}&map_X
// CUDA: hd::tmaStore(&map_Y
tile.kernel @static_width(%X: !tile.view<?x512xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                          %W: !tile.view<64x64xf16> {tile.name = "W", tile.dims = ["D", "D"]},
                          %Y: !tile.view<?x512xf16> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 100}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %heads = arith.constant 8 : index
  %M = tile.dim %X, 0 : !tile.view<?x512xf16>
  %D = tile.dim %W, 0 : !tile.view<64x64xf16>
  %programs = arith.ceildivui %M, %c64 : index
  tile.grid %programs, %heads
  %p = tile.program_id 0
  %h = tile.program_id 1
  %m = arith.muli %p, %c64 : index
  %column = arith.muli %h, %D : index
  %x = tile.load %X[%m, %column] : !tile.view<?x512xf16> -> tensor<64x64xf16>
  %w = tile.load %W[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %w, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %y = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %y, %Y[%m, %column] : tensor<64x64xf16>, !tile.view<?x512xf16>
  tile.return
}
