// RUN: heddle-opt %s --heddle-simulate-warp="dims=M=64" -split-input-file -verify-diagnostics
// Faults that the simulator reports while it runs a warp program, each at the operation that causes it.

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @acquired_twice_field(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !ring
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    // expected-error @below {{expected field 0 of ring "x" use 0 to be written once, got twice}}
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @copy_without_acquire(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{got a slot that may be in use}}
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @copy_after_publish(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !ring
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    warp.publish %r[%c0] : !ring
    // expected-error @below {{before its publish, got it after}}
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @negative_copy(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %neg = arith.constant -1 : index
    // expected-error @below {{expected a use number of at least 0, got -1}}
    warp.copy %X[%c0, %c0] to %r[%neg] field 0 : !view, !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @publish_unacquired(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected publish of an acquired use of ring "x" by @load, got use 0}}
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @publish_unwritten(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !ring
    // expected-error @below {{to be written before publish, got field 0 missing}}
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @negative_get(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %neg = arith.constant -1 : index
    // expected-error @below {{expected a use number of at least 0, got -1}}
    %t = warp.get %r[%neg] : !ring -> !sm
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @consumed_unread(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !ring
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected consumed of a use of ring "x" that @use got, got use 0}}
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @consumed_in_flight(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !ring
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    %d = warp.dot %t, %t : !sm, !sm -> !acc
    // expected-error @below {{in @use to be waited for before consumed, got it in flight}}
    warp.consumed %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @read_after_consumed(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !ring
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !ring
    warp.publish %r[%c0] : !ring
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !ring -> !sm
    warp.consumed %r[%c0] : !ring
    // expected-error @below {{before its consumed, got it after}}
    %v = warp.read %t : !sm -> !h
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @never_published(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{to be published, got the end}}
    warp.acquire %r[%c0] : !ring
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @dot_at_end(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %s = warp.scratch "s" : !sm
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : !h
    warp.write %v, %s : !h, !sm
    warp.fence
    warp.barrier
    // expected-error @below {{expected every dot of @use to be waited for at the end, got one in flight}}
    %d = warp.dot %s, %s : !sm, !sm -> !acc
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @copy_out_at_end(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %s = warp.scratch "s" : !sm
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : !h
    warp.write %v, %s : !h, !sm
    warp.fence
    warp.barrier
    // expected-error @below {{expected every copy_out of @use to be waited for at the end, got one in flight}}
    warp.copy_out %s to %X[%c0, %c0] : !sm, !view
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @result_in_flight(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %s = warp.scratch "s" : !sm
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : !h
    warp.write %v, %s : !h, !sm
    warp.fence
    warp.barrier
    %d = warp.dot %s, %s : !sm, !sm -> !acc
    // expected-error @below {{expected a dot_wait before the result of the dot is used in @use, got it in flight}}
    %y = arith.negf %d : !acc
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @operand_in_flight(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %s = warp.scratch "s" : !sm
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : !h
    warp.write %v, %s : !h, !sm
    warp.fence
    warp.barrier
    %d = warp.dot %s, %s : !sm, !sm -> !h
    // expected-error @below {{expected a dot_wait before the result of a dot becomes operand a in @use, got it in flight}}
    %y = warp.dot %d, %s : !h, !sm -> !acc
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @wait_too_weak(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %s = warp.scratch "s" : !sm
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : !h
    warp.write %v, %s : !h, !sm
    warp.fence
    warp.barrier
    %d = warp.dot %s, %s : !sm, !sm -> !acc
    // expected-error @below {{expected the dot_wait in @use to retire the dots that it names, got one in flight}}
    %w = warp.dot_wait 1 : %d : !acc -> !acc
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @step(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %neg = arith.constant -1 : index
    // expected-error @below {{expected a loop step of at least 1, got -1}}
    scf.for %i = %c0 to %c0 step %neg {
    }
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!acc = tensor<64x64xf32>
warp.kernel @region(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t = arith.constant true
    // expected-error @below {{expected scf.for, scf.if or scf.while, got scf.execute_region}}
    scf.execute_region {
      scf.yield
    }
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
warp.kernel @unknown(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @use warps(4) regs(160) {
    %x = arith.constant 2.0 : f32
    // expected-error @below {{is not an operation that the simulator can evaluate}}
    // expected-error @below {{expected an operation that the simulator can execute, got math.sincos}}
    %y, %z = math.sincos %x : f32
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
warp.kernel @store_before(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %s = warp.scratch "s" : !warp.smem<64x64xf16>
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %at = arith.constant -64 : index
    %z = arith.constant dense<0.0> : tensor<64x64xf16>
    warp.write %z, %s : tensor<64x64xf16>, !warp.smem<64x64xf16>
    warp.fence
    warp.barrier
    // expected-error @below {{expected a stored box at coordinates of at least 0, got -64}}
    warp.copy_out %s to %X[%at, %c0] : !warp.smem<64x64xf16>, !view
    warp.copy_out_wait 0
  }
  warp.return
}

// -----

// fields of two alternatives in one use
!view = !tile.view<?x64xf16>
!either = !warp.aref<1, [tensor<64x64xf16>, tensor<32x64xf16>]>
warp.kernel @two_alternatives(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" {alternatives = array<i64: 1, 1>} : !either
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !either
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !either
    // expected-error @below {{expected fields of one alternative of ring "x" use 0, got fields 0 and 1}}
    warp.copy %X[%c0, %c0] to %r[%c0] field 1 : !view, !either
    warp.publish %r[%c0] : !either
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t, %u = warp.get %r[%c0] : !either -> !warp.smem<64x64xf16>, !warp.smem<32x64xf16>
    warp.consumed %r[%c0] : !either
  }
  warp.return
}
