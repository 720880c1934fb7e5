// RUN: heddle-opt --heddle-verify-warp --heddle-simulate-warp="dims=M=300" %s 2>&1 | FileCheck %s
// CHECK: memory: 5 ctas
// Accesses of one tensor in one program: Y = X by a copy, loaded again by the group's threads; Z by their stores, then
// by a copy over them; X in place.
!view = !tile.view<?x64xf16>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!rx = !warp.aref<2, [tensor<64x64xf16>]>
warp.kernel @memory(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}, %Y: !view {tile.name = "Y", tile.dims = ["M", "D"]},
                    %Z: !view {tile.name = "Z", tile.dims = ["M", "D"]}) {
  %c64 = arith.constant 64 : index
  %m = tile.dim %X, 0 : !view
  %programs = arith.ceildivui %m, %c64 : index
  tile.grid %programs
  %rx = warp.aref "x" : !rx
  %s = warp.scratch "s" : !sm
  warp.group @load warps(1) regs(24) {
    %rows = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %p = tile.program_id 0
    %at = arith.muli %p, %rows : index
    warp.acquire %rx[%c0] : !rx
    warp.copy %X[%at, %c0] to %rx[%c0] field 0 : !view, !rx
    warp.publish %rx[%c0] : !rx
  }
  warp.group @compute warps(4) regs(240) {
    %rows = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %p = tile.program_id 0
    %at = arith.muli %p, %rows : index
    %t = warp.get %rx[%c0] : !rx -> !sm
    %x = warp.read %t : !sm -> !h
    warp.consumed %rx[%c0] : !rx
    warp.write %x, %s : !h, !sm
    warp.fence
    warp.barrier
    warp.copy_out %s to %Y[%at, %c0] : !sm, !view
    warp.copy_out_wait 0 complete
    warp.barrier global
    %y = tile.load %Y[%at, %c0] : !view -> !h
    tile.store %y, %Z[%at, %c0] : !h, !view
    warp.fence global
    warp.barrier global
    warp.copy_out %s to %Z[%at, %c0] : !sm, !view
    warp.copy_out %s to %X[%at, %c0] : !sm, !view
    warp.copy_out_wait 0
  }
  warp.return
}
