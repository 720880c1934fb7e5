// A loop carries the page that memory names for the next iteration: only the group that loads reads it.
// REQUIRES: tool-heddle
// RUN: heddle compile %s --kernel=listed --emit=cuda | FileCheck %s
// RUN: heddle compile %s --kernel=linked --emit=cuda | FileCheck %s
// RUN: heddle run %s --kernel=listed --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --kernel=linked --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: verified
// CHECK: void compute(const hd::TensorMap &map_O, int N, uint32_t smem, int program0)
// CHECK-NOT: table[
// CHECK: __global__
// CHECK: table[
tile.kernel @listed(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                    %K: !tile.view<?x64x64xf16> {tile.name = "K", tile.dims = ["P", "R", "D"]},
                    %table: !tile.view<?xi32> {tile.name = "table", tile.dims = ["N"]},
                    %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200, P = 5, N = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %N = tile.dim %table, 0 : !tile.view<?xi32>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %first = tile.element %table[%c0] : !tile.view<?xi32> -> i32
  %acc, %last = scf.for %n = %c0 to %N step %c1 iter_args(%o = %zero, %page = %first) -> (tensor<128x64xf32>, i32) {
    %at = arith.index_cast %page : i32 to index
    %k = tile.load %K[%at, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %k, %o : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %n1 = arith.addi %n, %c1 : index
    %next = tile.element %table[%n1] : !tile.view<?xi32> -> i32
    scf.yield %s, %next : tensor<128x64xf32>, i32
  }
  tile.store %acc, %O[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

tile.kernel @linked(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                    %K: !tile.view<?x64x64xf16> {tile.name = "K", tile.dims = ["P", "R", "D"]},
                    %table: !tile.view<?xi32> {tile.name = "table", tile.dims = ["N"]},
                    %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200, P = 5, N = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %N = tile.dim %table, 0 : !tile.view<?xi32>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %first = tile.element %table[%c0] : !tile.view<?xi32> -> i32
  %acc, %last = scf.for %n = %c0 to %N step %c1 iter_args(%o = %zero, %page = %first) -> (tensor<128x64xf32>, i32) {
    %at = arith.index_cast %page : i32 to index
    %k = tile.load %K[%at, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %k, %o : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %next = tile.element %table[%at] : !tile.view<?xi32> -> i32
    scf.yield %s, %next : tensor<128x64xf32>, i32
  }
  tile.store %acc, %O[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
