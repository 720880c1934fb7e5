// RUN: heddle-opt --heddle-verify-warp --split-input-file --verify-diagnostics %s
// Barriers of all groups: what the dry run says of groups that do not meet equally often.

// Two groups meet in each iteration, and a group of one warp does not.
!view = !tile.view<?x64xf16>
warp.kernel @meet(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @load warps(1) regs(24) {
  }
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %M = tile.dim %X, 0 : !view
    scf.for %n = %c0 to %M step %c1 {
      warp.barrier global groups
    }
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %M = tile.dim %X, 0 : !view
    scf.for %n = %c0 to %M step %c1 {
      warp.barrier global groups
    }
  }
  warp.return
}

// -----

// One of them once more.
!view = !tile.view<?x64xf16>
warp.kernel @once_more(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %M = tile.dim %X, 0 : !view
    scf.for %n = %c0 to %M step %c1 {
      warp.barrier groups
    }
    // expected-error @+1 {{deadlock: expected some group to go on when M = 1, got @a waiting at a barrier of all groups}}
    warp.barrier groups
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %M = tile.dim %X, 0 : !view
    scf.for %n = %c0 to %M step %c1 {
      warp.barrier groups
    }
  }
  warp.return
}
