// RUN: heddle-opt --heddle-verify-warp --heddle-simulate-warp="dims=M=300 machine=unit" %s 2>&1 | FileCheck %s
// Y = 2 X, row block by row block: a load group, a compute group that reads and puts, and a store group that copies out
// of the ring.
// CHECK: scale: 1 ctas, {{[0-9]+}} cycles
// CHECK: warp.kernel @scale
!view = !tile.view<?x64xf16>
!rx = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @scale(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}, %Y: !view {tile.name = "Y", tile.dims = ["M", "D"]}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %rx = warp.aref "x" : !rx
  %ry = warp.aref "y" : !rx
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    scf.for %m = %c0 to %M step %c64 {
      %n = arith.divui %m, %c64 : index
      warp.acquire %rx[%n] : !rx
      warp.copy %X[%m, %c0] to %rx[%n] field 0 : !view, !rx
      warp.publish %rx[%n] : !rx
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %two = arith.constant dense<2.0> : !h
    %M = tile.dim %X, 0 : !view
    scf.for %m = %c0 to %M step %c64 {
      %n = arith.divui %m, %c64 : index
      %x = warp.get %rx[%n] : !rx -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %rx[%n] : !rx
      // through scratch, as a change of layout would go
      warp.barrier
      warp.write %v, %t : !h, !sm
      warp.barrier
      %u = warp.read %t : !sm -> !h
      %y = arith.mulf %u, %two : !h
      warp.acquire %ry[%n] : !rx
      warp.put %y to %ry[%n] field 0 : !h, !rx
      warp.fence
      warp.publish %ry[%n] : !rx
    }
  }
  warp.group @store warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    scf.for %m = %c0 to %M step %c64 {
      %n = arith.divui %m, %c64 : index
      %y = warp.get %ry[%n] : !rx -> !sm
      warp.copy_out %y to %Y[%m, %c0] : !sm, !view
      warp.copy_out_wait 0
      warp.consumed %ry[%n] : !rx
    }
  }
  warp.return
}
