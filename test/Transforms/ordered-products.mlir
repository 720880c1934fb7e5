// Products of groups of rows that begin where memory says: their stores may meet. Outside of the loop that is scheduled
// the groups meet in between, where it is not said to have independent iterations; inside of it, one warp group keeps
// their order, which a warning says.
// RUN: heddle compile %s --kernel=grouped --emit=plan 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: heddle compile %s --kernel=grouped --emit=cuda | FileCheck %s --check-prefix=MEET
// RUN: heddle run %s --kernel=grouped --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: sed 's/ {plan = {label = "groups"}}/ {tile.independent}/' %s > %t.mlir
// RUN: heddle compile %t.mlir --kernel=grouped --emit=plan 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: heddle compile %t.mlir --kernel=grouped --emit=cuda | FileCheck %s --check-prefix=APART
// RUN: heddle compile %s --kernel=inside --emit=plan 2>&1 | FileCheck %s
// CHECK: warning: one warp group computes all products: it keeps the order of accesses of one view that may meet
// CHECK: groups = 1
// TWO-NOT: warning
// TWO: groups = 2
// MEET: hd::barrierMeet(3, 256);
// APART-NOT: 256);
// RIGHT: verified
tile.kernel @grouped(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %B: !tile.view<?x?x?xf16> {tile.name = "B", tile.dims = ["E", "N", "K"]},
                     %first: !tile.view<?xi32> {tile.name = "first", tile.dims = ["E"]},
                     %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 128, K = 128, E = 2}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %E = tile.dim %first, 0 : !tile.view<?xi32>
  %N = tile.dim %C, 1 : !tile.view<?x?xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %N, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %n = arith.muli %p, %c128 : index
  scf.for %e = %c0 to %E step %c1 {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %at = tile.element %first[%e] : !tile.view<?xi32> -> i32
    %m = arith.index_cast %at : i32 to index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%e, %n, %k] : !tile.view<?x?x?xf16> -> tensor<128x64xf16>
      %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tile.store %acc, %C[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  } {plan = {label = "groups"}}
  tile.return
}

tile.kernel @inside(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %B: !tile.view<?x128x64xf16> {tile.name = "B", tile.dims = ["E", "N", "K"]},
                    %first: !tile.view<?xi32> {tile.name = "first", tile.dims = ["E"]},
                    %C: !tile.view<?x128xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, E = 2}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %E = tile.dim %first, 0 : !tile.view<?xi32>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  scf.for %e = %c0 to %E step %c1 {
    %at = tile.element %first[%e] : !tile.view<?xi32> -> i32
    %m = arith.index_cast %at : i32 to index
    %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%e, %c0, %c0] {dims = array<i64: 1, 2>} : !tile.view<?x128x64xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    tile.store %d, %C[%m, %c0] : tensor<128x128xf32>, !tile.view<?x128xf32>
  }
  tile.return
}
