// The nearest of 16 levels of a codebook for each element, level by level.
// What a loop carries takes registers beside what crosses an access: eight blocks share a multiprocessor, not ten.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __launch_bounds__(128, 8)
tile.kernel @codebook(%X: !tile.view<?x512xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                      %L: !tile.view<16xf32> {tile.name = "L", tile.dims = ["C"]},
                      %Q: !tile.view<?x512xi8> {tile.name = "Q", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 10}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %M = tile.dim %X, 0 : !tile.view<?x512xf16>
  %g = arith.ceildivui %M, %c4 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c4 : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x512xf16> -> tensor<4x512xf16>
  %xf = arith.extf %x : tensor<4x512xf16> to tensor<4x512xf32>
  %far = arith.constant dense<1.0e30> : tensor<4x512xf32>
  %none = arith.constant dense<0> : tensor<4x512xi32>
  %d, %q = scf.for %c = %c0 to %c16 step %c1
      iter_args(%best = %far, %at = %none) -> (tensor<4x512xf32>, tensor<4x512xi32>) {
    %l = tile.element %L[%c] : !tile.view<16xf32> -> f32
    %lt = tensor.splat %l : tensor<4x512xf32>
    %df = arith.subf %xf, %lt : tensor<4x512xf32>
    %ab = math.absf %df : tensor<4x512xf32>
    %less = arith.cmpf olt, %ab, %best : tensor<4x512xf32>
    %c32 = arith.index_cast %c : index to i32
    %ct = tensor.splat %c32 : tensor<4x512xi32>
    %b1 = arith.select %less, %ab, %best : tensor<4x512xi1>, tensor<4x512xf32>
    %a1 = arith.select %less, %ct, %at : tensor<4x512xi1>, tensor<4x512xi32>
    scf.yield %b1, %a1 : tensor<4x512xf32>, tensor<4x512xi32>
  }
  %q8 = arith.trunci %q : tensor<4x512xi32> to tensor<4x512xi8>
  tile.store %q8, %Q[%m, %c0] : tensor<4x512xi8>, !tile.view<?x512xi8>
  tile.return
}
