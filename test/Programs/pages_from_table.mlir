// Attention whose keys and values lie in pages that a table names: a scalar of memory in every iteration.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @paged(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64x64xf16> {tile.name = "K", tile.dims = ["P", "R", "D"]},
                  %V: !tile.view<?x64x64xf16> {tile.name = "V", tile.dims = ["P", "R", "D"]},
                  %table: !tile.view<?x?xi32> {tile.name = "table", tile.dims = ["B", "N"]},
                  %O: !tile.view<?x64xf16> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200, P = 5, B = 2, N = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %N = tile.dim %table, 1 : !tile.view<?x?xi32>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %row = tile.load %table[%p, %c0] : !tile.view<?x?xi32> -> tensor<8xi32>
  %acc = scf.for %n = %c0 to %N step %c1 iter_args(%o = %zero) -> (tensor<128x64xf32>) {
    %p32 = tensor.extract %row[%n] : tensor<8xi32>
    %page = arith.index_cast %p32 : i32 to index
    %k = tile.load %K[%page, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %ph = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%page, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
    %o2 = tile.dot %ph, %v, %o : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %o2 : tensor<128x64xf32>
  }
  %oh = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %oh, %O[%m, %c0] : tensor<128x64xf16>, !tile.view<?x64xf16>
  tile.return
}
