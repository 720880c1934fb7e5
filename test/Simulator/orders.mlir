// RUN: heddle-opt %s --heddle-simulate-warp="dims=M=64" -split-input-file -verify-diagnostics
// Groups that enter and leave in an order, as the simulator runs them.

!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @in_order(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%n] at 0 : !order
      warp.leave %order[%n] at 0 : !order
    }
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%n] at 1 : !order
      warp.leave %order[%n] at 1 : !order
    }
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @more_rounds(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%n] at 0 : !order
      warp.leave %order[%n] at 0 : !order
    }
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 4 : index
    scf.for %n = %c0 to %rounds step %c1 {
      // expected-error @below {{deadlock in cta 0, 0, 0: expected some group to go on, got @b waiting for enter of order "order" round 3 at place 1}}
      warp.enter %order[%n] at 1 : !order
      warp.leave %order[%n] at 1 : !order
    }
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @another_round(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    warp.enter %order[%c0] at 0 : !order
    // expected-error @below {{expected leave of the round of order "order" that @a entered, got round 1}}
    warp.leave %order[%c1] at 0 : !order
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    warp.enter %order[%c0] at 1 : !order
    warp.leave %order[%c0] at 1 : !order
  }
  warp.return
}
