// A scan keeps two numbers for each element, what is folded so far and the fold of the whole part: 64 of a thread here.
// The launch bounds asked for 9 blocks, which leave 56 registers, and ptxas stored 60 bytes.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: __launch_bounds__(128, 1)
tile.kernel @sums_from_the_end(%x: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                               %y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["M", "N"]},
                               %z: !tile.view<?x?xf32> {tile.name = "Z", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 20, N = 300}} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = tile.dim %x, 0 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %m, %c8 : index
  tile.grid %programs
  %p = tile.program_id 0
  %i = arith.muli %p, %c8 : index
  %t = tile.load %x[%i, %c0] : !tile.view<?x?xf16> -> tensor<8x512xf16>
  %most = tile.scan "max" %t axis 1 : tensor<8x512xf16>
  tile.store %most, %y[%i, %c0] : tensor<8x512xf16>, !tile.view<?x?xf16>
  %wide = arith.extf %t : tensor<8x512xf16> to tensor<8x512xf32>
  %sums = tile.scan "add" %wide axis 1 reverse : tensor<8x512xf32>
  tile.store %sums, %z[%i, %c0] : tensor<8x512xf32>, !tile.view<?x?xf32>
  tile.return
}
