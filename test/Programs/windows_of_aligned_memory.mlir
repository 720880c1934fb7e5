// As windows_of_memory.mlir, at multiples of 16 bytes: the copy engine loads windows, by maps that each block makes.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: #include "heddle_device/thread/tensormap.h"
// CUDA: maps.begin<2, 128>(1, {{.*}}, {64, 64});
// CUDA: maps.prepare(1, {{.*}}, B, hd::MapShape<2>{{[{][{]}}k, 64}, {int64_t(pitch) * 2}});
tile.kernel @windows(%place: !tile.view<?xi64> {tile.name = "place", tile.dims = ["G"]},
                     %size: !tile.view<?xi32> {tile.name = "size", tile.dims = ["G"]},
                     %pool: !tile.view<?xf16> {tile.name = "pool", tile.dims = ["P"]},
                     %out: !tile.view<?xf32> {tile.name = "out", tile.dims = ["Q"]})
    attributes {tile.default_dims = {G = 3, P = 20000, Q = 15000}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %c72 = arith.constant 72 : index
  %g = tile.dim %place, 0 : !tile.view<?xi64>
  tile.grid %g
  %p = tile.program_id 0
  %from = tile.element %place[%p] : !tile.view<?xi64> -> i64
  %bytes = arith.constant 1040 : i64
  %a = arith.muli %from, %bytes : i64
  %more = tile.element %size[%p] : !tile.view<?xi32> -> i32
  %e1 = arith.index_cast %more : i32 to index
  %c8 = arith.constant 8 : index
  %extra = arith.muli %e1, %c8 : index
  %m = arith.addi %extra, %c40 : index
  %k = arith.addi %extra, %c64 : index
  %pitch = arith.addi %k, %extra : index
  %A = tile.window %pool at %a sizes [%m, %k] strides [%pitch] {tile.aligned} : !tile.view<?xf16> -> !tile.view<?x?xf16>
  %B = tile.window %pool at %a sizes [%c64, %k] strides [%pitch] {tile.aligned} :
    !tile.view<?xf16> -> !tile.view<?x?xf16>
  %each = arith.constant 5000 : index
  %first = arith.muli %p, %each : index
  %c4 = arith.constant 4 : index
  %where = arith.muli %first, %c4 : index
  %at = arith.index_cast %where : index to i64
  %C = tile.window %out at %at sizes [%m, %c64] strides [%c72] : !tile.view<?xf32> -> !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %A[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %y = tile.load %B[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %yt = tile.transpose %y : tensor<64x32xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %yt, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
