// RUN: heddle-opt --heddle-simplify-waits --heddle-verify-warp %s | FileCheck %s
// Waits that retire nothing, and fences and barriers with nothing to order, go; the tiles that an idle wait names move
// to the wait that retired them.
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!s = tensor<64x64xf32>
// CHECK: warp.kernel @k
warp.kernel @k(%X: !view {tile.dims = ["M", "D"]}, %Y: !tile.view<?x64xf32> {tile.dims = ["M", "D"]}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      warp.acquire %r[%i] : !r
      warp.copy %X[%i, %c0] to %r[%i] field 0 : !view, !r
      warp.publish %r[%i] : !r
    }
  }
  // CHECK: warp.group @compute
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : !s
    // CHECK: scf.for
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (!s) {
      // CHECK-NEXT: warp.get
      %x = warp.get %r[%i] : !r -> !sm
      warp.fence
      warp.barrier
      // CHECK-NOT: warp.fence
      // CHECK-NOT: warp.barrier
      // CHECK-NEXT: %[[D:.*]] = warp.dot
      %d = warp.dot %x, %x acc(%acc : !s) : !sm, !sm -> !s
      // CHECK-NEXT: %[[W:.*]] = warp.dot_wait 0 : %[[D]]
      warp.dot_wait 0
      // CHECK-NEXT: warp.consumed
      warp.consumed %r[%i] : !r
      // CHECK-NEXT: scf.yield %[[W]]
      scf.yield %d : !s
    }
    // CHECK-NOT: dot_wait
    %final = warp.dot_wait 0 : %sum : !s -> !s
    warp.copy_out_wait 0
    // CHECK-NOT: copy_out_wait
    // CHECK: tile.store
    tile.store %final, %Y[%c0, %c0] : !s, !tile.view<?x64xf32>
  }
  warp.return
}

// A tile that passes to another group through shared memory needs a fence only where a dot or a copy_out reads it.
!pass = !warp.aref<1, [tensor<64x64xf16>]>
// CHECK-LABEL: warp.kernel @hand_over
warp.kernel @hand_over(%X: !view {tile.dims = ["M", "D"]}, %Y: !tile.view<?x64xf16> {tile.dims = ["M", "D"]}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %plain = warp.aref "plain" : !pass
  %async = warp.aref "async" : !pass
  warp.group @give warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !view -> tensor<64x64xf16>
    // CHECK: warp.put
    // CHECK-NEXT: warp.publish
    warp.acquire %plain[%c0] : !pass
    warp.put %x to %plain[%c0] field 0 : tensor<64x64xf16>, !pass
    warp.fence
    warp.publish %plain[%c0] : !pass
    // CHECK: warp.put
    // CHECK-NEXT: warp.fence
    // CHECK-NEXT: warp.publish
    warp.acquire %async[%c0] : !pass
    warp.put %x to %async[%c0] field 0 : tensor<64x64xf16>, !pass
    warp.fence
    warp.publish %async[%c0] : !pass
  }
  warp.group @take warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !s
    %p = warp.get %plain[%c0] : !pass -> !sm
    %a = warp.read %p : !sm -> tensor<64x64xf16>
    warp.consumed %plain[%c0] : !pass
    %b = warp.get %async[%c0] : !pass -> !sm
    %d = warp.dot %a, %b acc(%zero : !s) : tensor<64x64xf16>, !sm -> !s
    %s = warp.dot_wait 0 : %d : !s -> !s
    warp.consumed %async[%c0] : !pass
    %h = arith.truncf %s : !s to tensor<64x64xf16>
    tile.store %h, %Y[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  }
  warp.return
}
