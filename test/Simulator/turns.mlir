// RUN: heddle-opt %s --heddle-simulate-warp="dims=M=64" -split-input-file -verify-diagnostics
// Rings whose uses consumer groups take in turn, as the simulator runs them.

// Two groups take the uses of a ring in turn: the first lets the second begin when it has got its use.
!view = !tile.view<?x64xf16>
!ring = !warp.aref<1, [tensor<64x64xf16>]>
!token = !warp.aref<1, []>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @in_turn(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %x = warp.aref "x" turns(2) : !ring
  %t = warp.aref "t" : !token
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %n = %c0 to %c2 step %c1 {
      warp.acquire %x[%n] : !ring
      warp.copy %X[%c0, %c0] to %x[%n] field 0 : !view, !ring
      warp.publish %x[%n] : !ring
    }
  }
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = warp.get %x[%c0] : !ring -> !sm
    %sv = warp.read %s : !sm -> !h
    warp.consumed %x[%c0] : !ring
    warp.acquire %t[%c0] : !token
    warp.publish %t[%c0] : !token
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    warp.get %t[%c0] : !token
    warp.consumed %t[%c0] : !token
    %s = warp.get %x[%c1] : !ring -> !sm
    %sv = warp.read %s : !sm -> !h
    warp.consumed %x[%c1] : !ring
  }
  warp.return
}

// -----

// Without that, the second may look at the barrier of the slot before use 0 has come.
!view = !tile.view<?x64xf16>
!ring = !warp.aref<1, [tensor<64x64xf16>]>
!token = !warp.aref<1, []>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @no_token(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %x = warp.aref "x" turns(2) : !ring
  %t = warp.aref "t" : !token
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %n = %c0 to %c2 step %c1 {
      warp.acquire %x[%n] : !ring
      warp.copy %X[%c0, %c0] to %x[%n] field 0 : !view, !ring
      warp.publish %x[%n] : !ring
    }
  }
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    warp.acquire %t[%c0] : !token
    warp.publish %t[%c0] : !token
    %s = warp.get %x[%c0] : !ring -> !sm
    %sv = warp.read %s : !sm -> !h
    warp.consumed %x[%c0] : !ring
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    warp.get %t[%c0] : !token
    warp.consumed %t[%c0] : !token
    // expected-error @+1 {{expected get of ring "x" use 1 by @b after a get of use 0 in every interleaving, got a race}}
    %s = warp.get %x[%c1] : !ring -> !sm
    %sv = warp.read %s : !sm -> !h
    warp.consumed %x[%c1] : !ring
  }
  warp.return
}

// -----

// Nobody is left to get use 0.
!view = !tile.view<?x64xf16>
!ring = !warp.aref<1, [tensor<64x64xf16>]>
!token = !warp.aref<1, []>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @both(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %x = warp.aref "x" turns(2) : !ring
  %t = warp.aref "t" : !token
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %n = %c0 to %c2 step %c1 {
      warp.acquire %x[%n] : !ring
      warp.copy %X[%c0, %c0] to %x[%n] field 0 : !view, !ring
      warp.publish %x[%n] : !ring
    }
  }
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = warp.get %x[%c0] : !ring -> !sm
    %sv = warp.read %s : !sm -> !h
    warp.consumed %x[%c0] : !ring
    warp.acquire %t[%c0] : !token
    warp.publish %t[%c0] : !token
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    warp.get %t[%c0] : !token
    warp.consumed %t[%c0] : !token
    // expected-error @+1 {{expected get of a use of ring "x" that is left by @b, got use 0}}
    %s = warp.get %x[%c0] : !ring -> !sm
    %sv = warp.read %s : !sm -> !h
    warp.consumed %x[%c0] : !ring
  }
  warp.return
}
