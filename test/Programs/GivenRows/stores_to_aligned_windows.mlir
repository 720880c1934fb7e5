// Matrices at places of a table, each copied scaled, tile after tile: the copy engine loads and stores by maps that the
// threads which copy make once a matrix; boxes end where the matrices do.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: maps.publish(
// CUDA: hd::tmaStore(maps[
tile.kernel @stores(%size: !tile.view<?xi32> {tile.name = "size", tile.dims = ["G"]},
                    %pool: !tile.view<?xf16> {tile.name = "pool", tile.dims = ["P"]},
                    %weights: !tile.view<?x?xf16> {tile.name = "weights", tile.dims = ["K", "N"]},
                    %out: !tile.view<?xf16> {tile.name = "out", tile.dims = ["Q"]})
    attributes {tile.default_dims = {G = 3, P = 60000, Q = 60000, K = 72, N = 64}} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c72 = arith.constant 72 : index
  %c100 = arith.constant 100 : index
  %c20000 = arith.constant 20000 : index
  %g = tile.dim %size, 0 : !tile.view<?xi32>
  tile.grid %g
  %p = tile.program_id 0
  %more = tile.element %size[%p] : !tile.view<?xi32> -> i32
  %extra = arith.index_cast %more : i32 to index
  %m = arith.addi %extra, %c100 : index
  %first = arith.muli %p, %c20000 : index
  %at = arith.index_cast %first : index to i64
  %A = tile.window %pool at %at sizes [%m, %c72] strides [%c72] {tile.aligned} :
    !tile.view<?xf16> -> !tile.view<?x?xf16>
  %C = tile.window %out at %at sizes [%m, %c64] strides [%c72] {tile.aligned} :
    !tile.view<?xf16> -> !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %i = %c0 to %m step %c64 {
    %sum = scf.for %k = %c0 to %c72 step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %A[%i, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %w = tile.load %weights[%k, %c0] : !tile.view<?x?xf16> -> tensor<32x64xf16>
      %next = tile.dot %x, %w, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %c = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %c, %C[%i, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
  } {tile.independent}
  tile.return
}
