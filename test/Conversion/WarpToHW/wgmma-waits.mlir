// RUN: heddle-opt %s --heddle-lower-warp-to-hw | FileCheck %s
// Waits that ptxas cannot follow are rewritten: O is in flight over the back edge and read in the loop, so a wait that
// leaves S running would serialise the kernel; and a wait that can retire nothing leaves no instruction.
// CHECK: scf.for
// CHECK: hw.wgmma_commit
// CHECK-NEXT: hw.wgmma_wait 0
// CHECK-NOT: hw.wgmma_wait 1 :
// CHECK: hw.wgmma_wait 0 retired : %{{.*}}
// CHECK: hw.wgmma_wait 1 retired : %{{.*}}
// CHECK: arith.mulf
// CHECK: hw.wgmma_commit
// CHECK: scf.yield
// CHECK: hw.wgmma_wait 0 : %
// The same where another dot has added to what is in flight before it is read.
// CHECK-LABEL: hw.kernel @added
// CHECK: scf.for
// CHECK: hw.wgmma_commit
// CHECK: hw.wgmma_commit
// CHECK-NEXT: hw.wgmma_wait 0 : %
// CHECK: scf.yield
warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xf16>
  %o = warp.scratch "o" : !warp.smem<64x64xf32>
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tile.dim %A, 0 : !tile.view<?x?xf16>
    %d0 = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %d0) -> (tensor<64x64xf32>) {
      %s = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
      warp.dot_wait 1
      %sw = warp.dot_wait 0 : %s : tensor<64x64xf32> -> tensor<64x64xf32>
      warp.write %sw, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
      %aw = warp.dot_wait 1 : %acc : tensor<64x64xf32> -> tensor<64x64xf32>
      %scaled = arith.mulf %aw, %aw : tensor<64x64xf32>
      %d = warp.dot %x, %x acc(%scaled : tensor<64x64xf32>)
          : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = warp.dot_wait 0 : %r : tensor<64x64xf32> -> tensor<64x64xf32>
    warp.write %e, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
  }
  warp.return
}
warp.kernel @added(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xf16>
  %o = warp.scratch "o" : !warp.smem<64x64xf32>
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tile.dim %A, 0 : !tile.view<?x?xf16>
    %d0 = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%begun = %d0) -> (tensor<64x64xf32>) {
      %s = warp.dot %x, %x acc(%begun : tensor<64x64xf32>)
          : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
      %t = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
      %sw = warp.dot_wait 1 : %s : tensor<64x64xf32> -> tensor<64x64xf32>
      warp.write %sw, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
      %tw = warp.dot_wait 0 : %t : tensor<64x64xf32> -> tensor<64x64xf32>
      warp.write %tw, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
      %d = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = warp.dot_wait 0 : %r : tensor<64x64xf32> -> tensor<64x64xf32>
    warp.write %e, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
  }
  warp.return
}
