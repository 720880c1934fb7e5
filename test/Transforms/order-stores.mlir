// Small stores by threads come before those of the copy engine that they follow.
// RUN: heddle-opt %s --heddle-order-stores | FileCheck %s
// Writers of a tile's chunks meet once where each chunk has a buffer and several groups go on to other programs.
// RUN: echo '{kernel = {groups = 2, tiles = 1, persistent = true}}' > %t.plan
// RUN: heddle compile %s --emit=warp --plan=%t.plan | FileCheck %s --check-prefix=WARP
// WARP: warp.group @compute0
// WARP: tile.store {{.*}} %R
// WARP: warp.write
// WARP-NEXT: tensor.extract_slice
// WARP-NEXT: warp.write
// WARP-NEXT: warp.fence
// WARP-NEXT: warp.barrier
// WARP: warp.copy_out
// WARP-NOT: warp.fence
// WARP: warp.copy_out
tile.kernel @rows(%A: !tile.view<?x64xf16> {tile.name = "A"}, %B: !tile.view<128x64xf16> {tile.name = "B"},
                  %O: !tile.view<?x128xf16> {tile.name = "O"},
                  %R: !tile.view<?xf32> {tile.name = "R"}, %E: !tile.view<?xf16> {tile.name = "E"},
                  %F: !tile.view<?xf16> {tile.name = "F"}) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %rows = tile.dim %A, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %bm : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %bm : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %c64 step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m0, %k] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<128x64xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  // CHECK: scf.for
  // CHECK: tile.reduce
  // CHECK: tile.store {{.*}} %arg3
  // CHECK: tile.store {{.*}} %arg2
  %half = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %half, %O[%m0, %c0] : tensor<128x128xf16>, !tile.view<?x128xf16>
  %most = tile.reduce "max" %acc axis 1 : tensor<128x128xf32> -> tensor<128xf32>
  tile.store %most, %R[%m0] : tensor<128xf32>, !tile.view<?xf32>
  // What is loaded in between stays behind.
  // CHECK: tile.load %arg4
  // CHECK: tile.store {{.*}} %arg5
  %e = tile.load %E[%m0] : !tile.view<?xf16> -> tensor<128xf16>
  tile.store %e, %F[%m0] : tensor<128xf16>, !tile.view<?xf16>
  tile.return
}
