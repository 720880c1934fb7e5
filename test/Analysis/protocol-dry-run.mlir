// RUN: heddle-opt --heddle-verify-warp --split-input-file --verify-diagnostics %s
// What the protocol dry run finds behind the static verifier.

// A load of the outer loop, got before that loop and released behind it: the load group waits for the slot, the other
// for its second use.
!view = !tile.view<?x64xf16>
!r = !warp.aref<1, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @outer_load(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}, %Y: !view {tile.name = "Y", tile.dims = ["N", "D"]}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %rx = warp.aref "x" : !r
  %ry = warp.aref "y" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %N = tile.dim %Y, 0 : !view
    %end:2 = scf.for %m = %c0 to %M step %c64 iter_args(%ux = %c0, %uy = %c0) -> (index, index) {
      // expected-error @+1 {{deadlock: expected some group to go on when M = 128, N = 1, got @load waiting to acquire use 1 of ring "x" (use 0 is not consumed by @compute); @compute waiting to get use 1 of ring "y" (not published)}}
      warp.acquire %rx[%ux] : !r
      warp.copy %X[%m, %c0] to %rx[%ux] field 0 : !view, !r
      warp.publish %rx[%ux] : !r
      %nx = arith.addi %ux, %c1 : index
      %ny = scf.for %n = %c0 to %N step %c64 iter_args(%u = %uy) -> (index) {
        warp.acquire %ry[%u] : !r
        warp.copy %Y[%n, %c0] to %ry[%u] field 0 : !view, !r
        warp.publish %ry[%u] : !r
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %nx, %ny : index, index
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %N = tile.dim %Y, 0 : !view
    %x = warp.get %rx[%c0] : !r -> !sm
    %xv = warp.read %x : !sm -> !h
    %end = scf.for %m = %c0 to %M step %c64 iter_args(%uy = %c0) -> (index) {
      %ny = scf.for %n = %c0 to %N step %c64 iter_args(%u = %uy) -> (index) {
        // expected-note @+1 {{@compute waiting to get use 1 of ring "y" (not published)}}
        %y = warp.get %ry[%u] : !r -> !sm
        %yv = warp.read %y : !sm -> !h
        warp.consumed %ry[%u] : !r
        %next = arith.addi %u, %c1 : index
        scf.yield %next : index
      }
      scf.yield %ny : index
    }
    warp.consumed %rx[%c0] : !r
  }
  warp.return
}

// -----

// A trip count below zero counts uses back: the second run of the loop starts at another number than the last one
// ended.
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @counter(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}, %from: index {tile.name = "from"}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %rx = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %left = arith.subi %M, %from : index
    %trip = arith.ceildivsi %left, %c64 : index
    %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%base = %c0) -> (index) {
      scf.for %k = %c0 to %trip step %c1 {
        %u = arith.addi %base, %k : index
        warp.acquire %rx[%u] : !r
        warp.copy %X[%c0, %c0] to %rx[%u] field 0 : !view, !r
        warp.publish %rx[%u] : !r
      }
      %next = arith.addi %base, %trip : index
      scf.yield %next : index
    }
    // expected-error @+1 {{expected acquire of use 0 of ring "x" by @load when M = 1, from = 128, got use -2}}
    warp.acquire %rx[%end] : !r
    warp.copy %X[%c0, %c0] to %rx[%end] field 0 : !view, !r
    warp.publish %rx[%end] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %left = arith.subi %M, %from : index
    %trip = arith.ceildivsi %left, %c64 : index
    %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%base = %c0) -> (index) {
      scf.for %k = %c0 to %trip step %c1 {
        %u = arith.addi %base, %k : index
        %x = warp.get %rx[%u] : !r -> !sm
        %v = warp.read %x : !sm -> !h
        warp.consumed %rx[%u] : !r
      }
      %next = arith.addi %base, %trip : index
      scf.yield %next : index
    }
    %x = warp.get %rx[%end] : !r -> !sm
    %v = warp.read %x : !sm -> !h
    warp.consumed %rx[%end] : !r
  }
  warp.return
}

// -----

// One group's loop is shorter by one.
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
// expected-error @+1 {{expected use 0 of ring "x" to be got by @compute when M = 1, got the end}}
warp.kernel @shorter(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %rx = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %trip = arith.ceildivui %M, %c64 : index
    scf.for %k = %c0 to %trip step %c1 {
      warp.acquire %rx[%k] : !r
      warp.copy %X[%c0, %c0] to %rx[%k] field 0 : !view, !r
      warp.publish %rx[%k] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %trip = arith.divui %M, %c64 : index
    scf.for %k = %c0 to %trip step %c1 {
      %x = warp.get %rx[%k] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %rx[%k] : !r
    }
  }
  warp.return
}

// -----

// A branch that only one group takes, for some programs of the grid.
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
warp.kernel @branch(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %h64 = arith.constant 64 : index
  %hM = tile.dim %X, 0 : !view
  %programs = arith.ceildivui %hM, %h64 : index
  tile.grid %programs
  %rx = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pid = tile.program_id 0
    %first = arith.cmpi eq, %pid, %c0 : index
    scf.if %first {
      warp.acquire %rx[%c0] : !r
      warp.copy %X[%c0, %c0] to %rx[%c0] field 0 : !view, !r
      warp.publish %rx[%c0] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{deadlock: expected some group to go on when program 0 = 1, M = 128, got @compute waiting to get use 0 of ring "x" (not published)}}
    %x = warp.get %rx[%c0] : !r -> !sm
    %v = warp.read %x : !sm -> !h
    warp.consumed %rx[%c0] : !r
  }
  warp.return
}
