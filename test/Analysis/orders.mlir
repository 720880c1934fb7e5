// RUN: heddle-opt --heddle-verify-warp --split-input-file --verify-diagnostics %s
// Groups that enter and leave in an order: what the static verifier and the dry run say.

// Two groups, three rounds each.
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
warp.kernel @two_at_a_place(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
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
      // expected-error @below {{expected one group at place 0 of order "order", got another}}
      warp.enter %order[%n] at 0 : !order
      warp.leave %order[%n] at 0 : !order
    }
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @nobody_at_a_place(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error @below {{expected a group at each of 2 places, got 1}}
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
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @group_at_two_places(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    warp.enter %order[%c0] at 0 : !order
    // expected-error @below {{expected one place of the group in order "order", got 0 and 1}}
    warp.leave %order[%c0] at 1 : !order
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 1 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%n] at 1 : !order
      warp.leave %order[%n] at 1 : !order
    }
  }
  warp.return
}

// -----

// The second group has a round more than the first.
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
      // expected-error @below {{deadlock: expected some group to go on, got @b waiting to enter round 3 of order "order" at place 1}}
      warp.enter %order[%n] at 1 : !order
      warp.leave %order[%n] at 1 : !order
    }
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!order = !warp.order<2>
// expected-error @below {{expected every place of order "order" to leave round 3, got the end}}
warp.kernel @fewer_rounds(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 4 : index
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

// Every round is round 0.
!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @same_round(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 2 : index
    scf.for %n = %c0 to %rounds step %c1 {
      // expected-error @below {{expected rounds of order "order" one after the other by @a, got round 0 where 0 is open}}
      warp.enter %order[%c0] at 0 : !order
      warp.leave %order[%c0] at 0 : !order
    }
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 2 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%c0] at 1 : !order
      warp.leave %order[%c0] at 1 : !order
    }
  }
  warp.return
}
