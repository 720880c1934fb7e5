// What an argument promises of its memory needs no test at run time: one form of each access, and the launch refuses
// what breaks the promise. K is a multiple of 8, so no vector of 16 bytes crosses the end of a row.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --implicit-check-not=isAligned --implicit-check-not=loadPiece
// CHECK: hd::copyAsync(
// CHECK: hd::storeGlobalIf(
// RUN: heddle compile %s -o %t
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/kernel.json
// MANIFEST: "aligned": true
// MANIFEST: "multiples": [
// MANIFEST-NEXT: 1,
// MANIFEST-NEXT: 8
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// RUN: not heddle run %s --device=sim --dims=K=100 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: expected dimension 'K' to be a multiple of 8, got 100
tile.kernel @rows_of_a(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["T", "K"], tile.aligned,
                                                tile.multiples = array<i64: 1, 8>},
                       %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
                       %B: !tile.view<64x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                       %C: !tile.view<?x64xf16> {tile.name = "C", tile.dims = ["U", "N"], tile.aligned})
    attributes {tile.default_dims = {T = 14, K = 200, M = 128, U = 16}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %ids, 0 : !tile.view<?xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %rows = tile.load %ids[%m] : !tile.view<?xi32> -> tensor<128xi32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<128xi32> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<64x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %h = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
  // Rows of memory below 16, one in each place.
  %one = tile.iota : tensor<128xi32>
  tile.store %h, %C[%c0, %c0] rows %one : tensor<128x64xf16>, !tile.view<?x64xf16>, tensor<128xi32>
  tile.return
}
