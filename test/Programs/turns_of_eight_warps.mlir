// A product of a matrix and a vector, persistent with two tiles in flight: each group has eight warps, which count from
// a number of their own in the function that the groups share.
// RUN: heddle run %s --persistent=on --tiles-in-flight=2 --device=sim | FileCheck %s
// RUN: heddle run %s --persistent=on --tiles-in-flight=2 --device=emulate | FileCheck %s
// RUN: heddle compile %s --persistent=on --tiles-in-flight=2 --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: template <int group>
// CUDA: const int warp = hd::warpIndex() - (4 + 8 * group);
tile.kernel @matvec(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "N"]},
                    %x: !tile.view<?xf16> {tile.name = "x", tile.dims = ["N"]},
                    %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 170, N = 500}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %A, 1 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %M, %c32 : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %c32 : index
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %sums = scf.for %n = %c0 to %N step %c256 iter_args(%sum = %zero) -> (tensor<32xf32>) {
    %a = tile.load %A[%m, %n] : !tile.view<?x?xf16> -> tensor<32x256xf16>
    %v = tile.load %x[%n] : !tile.view<?xf16> -> tensor<256xf16>
    %af = arith.extf %a : tensor<32x256xf16> to tensor<32x256xf32>
    %vf = arith.extf %v : tensor<256xf16> to tensor<256xf32>
    %vs = tile.broadcast %vf axis 0 : tensor<256xf32> -> tensor<32x256xf32>
    %products = arith.mulf %af, %vs : tensor<32x256xf32>
    %row = tile.reduce "add" %products axis 1 : tensor<32x256xf32> -> tensor<32xf32>
    %next = arith.addf %sum, %row : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sums, %y[%m] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
