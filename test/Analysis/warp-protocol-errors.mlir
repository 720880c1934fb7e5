// RUN: heddle-opt --heddle-verify-warp --split-input-file --verify-diagnostics %s
// One test per rule of the protocol verifier.

// two producers
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  // expected-error @+1 {{expected one producer group of ring "x", got 2}}
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load2 warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      warp.acquire %r[%i] : !r
      warp.copy %X[%i, %c0] to %r[%i] field 0 : !view, !r
      warp.publish %r[%i] : !r
    }
  }
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// no consumer
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  // expected-error @+1 {{expected at least one consumer group of ring "x", got none}}
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.return
}

// -----

// scratch shared
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  // expected-error @+1 {{expected scratch "t" in one group, got 2}}
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.consumed %r[%i] : !r
      warp.barrier
      warp.write %z, %t : !h, !sm
    }
  }
  warp.group @other warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    warp.barrier
    warp.write %z, %t : !h, !sm
  }
  warp.return
}

// -----

// capture
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      // expected-error @+1 {{expected groups to capture arefs, orders, scratches and arguments only, got a value of arith.constant}}
      %n = arith.addi %i, %h1 : index
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// control flow
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.consumed %r[%i] : !r
      // expected-error @+1 {{expected scf.for, scf.if or scf.while as control flow in a warp group, got scf.execute_region}}
      scf.execute_region {
      scf.yield
      }
    }
  }
  warp.return
}

// -----

// tile op
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %zs = arith.constant dense<0.0> : !s
      // expected-error @+1 {{expected warp.dot in a warp group, got tile.dot}}
      %v = tile.dot %z, %z, %zs : !h, !h, !s
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// copy without acquire
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{expected acquire of ring "x" use 0 before, got none}}
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !r
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// copy to another use
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    warp.acquire %r[%c0] : !r
    // expected-error @+1 {{expected acquire of ring "x" use 1 before, got none}}
    warp.copy %X[%c0, %c0] to %r[%c1] field 0 : !view, !r
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// publish without acquire
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{expected acquire of ring "x" use 0 before, got none}}
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// field missing
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    warp.acquire %r[%c0] : !r
    // expected-error @+1 {{expected all 1 fields of ring "x" written before publish, got field 0 missing}}
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// field twice
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    warp.acquire %r[%c0] : !r
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !r
    // expected-error @+1 {{expected field 0 of ring "x" to be written once per use, got twice}}
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !r
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// not published
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{expected use 0 of ring "x" to be published before the group ends, got no publish}}
    warp.acquire %r[%c0] : !r
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// acquire unbalanced
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{expected each trip of the loop to publish as many uses of ring "x" as it acquires, got 1 more acquired}}
    scf.for %i = %c0 to %c4 step %c1 {
    warp.acquire %r[%i] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// skips a use
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
    %n = arith.addi %i, %i : index
    // expected-error @+1 {{expected consecutive use numbers of ring "x", got a step of 2}}
    warp.acquire %r[%n] : !r
    warp.copy %X[%c0, %c0] to %r[%n] field 0 : !view, !r
    warp.publish %r[%n] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// starts at 1
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{expected the first use of ring "x" to be 0, got 1}}
    warp.acquire %r[%c1] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// put without fence
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
  warp.group @load warps(4) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    warp.acquire %r[%c0] : !r
    warp.put %z to %r[%c0] field 0 : !h, !r
    // expected-error @+1 {{expected a fence between put and publish: field 0 of ring "x" is read by a dot or a copy_out, got none}}
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.copy_out %x to %Y[%c0, %c0] : !sm, !view
      warp.copy_out_wait 0
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// consumed without get
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    %x = warp.get %r[%c0] : !r -> !sm
    warp.consumed %r[%c0] : !r
    // expected-error @+1 {{expected get of ring "x" use 0 before, got none}}
    warp.consumed %r[%c0] : !r
  }
  warp.return
}

// -----

// consumed another use
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %n = arith.addi %i, %c1 : index
      // expected-error @+1 {{expected get of ring "x" use v}}
      warp.consumed %r[%n] : !r
    }
  }
  warp.return
}

// -----

// not consumed
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    // expected-error @+1 {{expected use 0 of ring "x" to be consumed before the group ends, got no consumed}}
    %x = warp.get %r[%c0] : !r -> !sm
  }
  warp.return
}

// -----

// get unbalanced
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    // expected-error @+1 {{expected each trip of the loop to consume as many uses of ring "x" as it gets, got 1 more got}}
    scf.for %i = %c0 to %c4 step %c1 {
    %x = warp.get %r[%i] : !r -> !sm
    }
  }
  warp.return
}

// -----

// arms unbalanced
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    %x = warp.get %r[%c0] : !r -> !sm
    %b = arith.cmpi eq, %c0, %c1 : index
    // expected-error @+1 {{expected both arms of the branch to consume as many uses of ring "x" as it gets, got 1 more got}}
    scf.if %b {
    warp.consumed %r[%c0] : !r
    }
  }
  warp.return
}

// -----

// A condition's block that gets and does not consume.
!view = !tile.view<?x?xf16>
!r = !warp.aref<4, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
warp.kernel @k(%X: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !r
    warp.copy %X[%c0, %c0] to %r[%c0] field 0 : !view, !r
    warp.publish %r[%c0] : !r
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expected the condition of the loop to consume as many uses of ring "x" as it gets, got 1 more got}}
    scf.while : () -> () {
      %x = warp.get %r[%c0] : !r -> !sm
      %more = arith.cmpi eq, %c0, %c1 : index
      scf.condition(%more)
    } do {
      warp.consumed %r[%c0] : !r
      scf.yield
    }
  }
  warp.return
}

// -----

// read after consumed
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.consumed %r[%i] : !r
      // expected-error @+1 {{expected tiles of ring "x" to be read between get and consumed, got a read outside}}
      %v = warp.read %x : !sm -> !h
    }
  }
  warp.return
}

// -----

// read without get
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    %x = warp.get %r[%c0] {heddle.unsynchronised} : !r -> !sm
    // expected-error @+1 {{expected tiles of ring "x" to be read between get and consumed, got a read outside}}
    %v = warp.read %x : !sm -> !h
  }
  warp.return
}

// -----

// consumed under a dot
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      // expected-note @+1 {{the dot}}
      %d = warp.dot %x, %x : !sm, !sm -> !s
      // expected-error @+1 {{expected every dot that reads ring "x" to be waited for before consumed, got one in flight}}
      warp.consumed %r[%i] : !r
      warp.dot_wait 0
    }
  }
  warp.return
}

// -----

// result in flight
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      // expected-note @+1 {{the dot}}
      %d = warp.dot %x, %x : !sm, !sm -> !s
      // expected-error @+1 {{expected the dot to be retired by a dot_wait before its result is used, got it in flight}}
      %e = arith.negf %d : !s
      warp.dot_wait 0
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// operand a in flight
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %d = warp.dot %x, %x : !sm, !sm -> !h
      // expected-error @+1 {{expected operand a to be retired by a dot_wait before it is used, got its dot in flight}}
      %e = warp.dot %d, %x : !h, !sm -> !s
      warp.dot_wait 0
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// wait too lax
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %d = warp.dot %x, %x : !sm, !sm -> !s
      // expected-error @+1 {{expected at most 0 pending so that the dot is retired, got 1}}
      %e = warp.dot_wait 1 : %d : !s -> !s
      warp.dot_wait 0
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// dot at the end
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    %x = warp.get %r[%c0] : !r -> !sm
    // expected-error @+1 {{expected a dot_wait that retires it before the group ends, got none}}
    %d = warp.dot %z, %t : !h, !sm -> !s
    warp.consumed %r[%c0] : !r
  }
  warp.return
}

// -----

// in flight over the back-edge
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.barrier
      // expected-error @+1 {{expected the dot that reads this scratch to be waited for before write, got it in flight}}
      warp.write %z, %t : !h, !sm
      warp.fence
      warp.barrier
      %d = warp.dot %z, %t : !h, !sm -> !s
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// no fence before dot
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.write %z, %t : !h, !sm
      warp.barrier
      // expected-error @+1 {{expected a fence between write and dot, got none}}
      %d = warp.dot %z, %t : !h, !sm -> !s
      warp.dot_wait 0
      warp.barrier
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// no barrier before copy_out
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.write %z, %t : !h, !sm
      warp.barrier
      warp.fence
      // expected-error @+1 {{expected a barrier after the fence before copy_out, got none}}
      warp.copy_out %t to %Y[%c0, %c0] : !sm, !view
      warp.copy_out_wait 0
      warp.barrier
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// no barrier before read
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.write %z, %t : !h, !sm
      // expected-error @+1 {{expected a barrier between write and read, got none}}
      %v = warp.read %t : !sm -> !h
      warp.barrier
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// no barrier before the next write
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      // expected-error @+1 {{expected a barrier between the last read of this scratch and write, got none}}
      warp.write %z, %t : !h, !sm
      warp.barrier
      %v = warp.read %t : !sm -> !h
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// copy_out still reads
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      // expected-error @+1 {{expected the copy_out that reads this scratch to be waited for before write, got it in flight}}
      warp.write %z, %t : !h, !sm
      warp.fence
      warp.barrier
      warp.copy_out %t to %Y[%c0, %c0] : !sm, !view
      warp.copy_out_wait 1
      warp.barrier
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// write to a ring
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      // expected-error @+1 {{expected a scratch tile as destination, got a tile of a ring}}
      warp.write %z, %x : !h, !sm
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// copy_out at the end
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    warp.write %z, %t : !h, !sm
    warp.fence
    warp.barrier
    // expected-error @+1 {{expected a copy_out_wait that retires it before the group ends, got none}}
    warp.copy_out %t to %Y[%c0, %c0] : !sm, !view
    %x = warp.get %r[%c0] : !r -> !sm
    warp.consumed %r[%c0] : !r
  }
  warp.return
}

// -----

// consumed under a copy_out
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
!h = tensor<64x64xf16>
!s = tensor<64x64xf32>
warp.kernel @k(%X: !view, %Y: !view) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  %t = warp.scratch "t" : !sm
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
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      warp.copy_out %x to %Y[%c0, %c0] : !sm, !view
      // expected-error @+1 {{expected every copy_out that reads ring "x" to be waited for before consumed, got one in flight}}
      warp.consumed %r[%i] : !r
      warp.copy_out_wait 0
    }
  }
  warp.return
}

// -----

// blocks of a cluster that fill a common ring a different number of times
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
warp.kernel @k(%X: !view) attributes {cluster = 2 : i64} {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %rank = tile.cluster_rank
    %end = arith.addi %c4, %rank : index
    scf.for %i = %c0 to %end step %c1 {
      // expected-error @+1 {{expected all blocks of the cluster to use ring "x" equally often, got control that depends on the block}}
      warp.acquire %r[%i] : !r
      warp.copy %X[%i, %c0] to %r[%i] field 0 multicast : !view, !r
      warp.publish %r[%i] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> tensor<64x64xf16>
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// blocks that multicast parts of different tiles
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
warp.kernel @k(%X: !view) attributes {cluster = 2 : i64} {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %rank = tile.cluster_rank
    scf.for %i = %c0 to %c4 step %c1 {
      warp.acquire %r[%i] : !r
      // expected-error @+1 {{expected coordinates of a multicast copy that all blocks of the cluster compute alike}}
      warp.copy %X[%rank, %c0] to %r[%i] field 0 multicast : !view, !r
      warp.publish %r[%i] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> tensor<64x64xf16>
      warp.consumed %r[%i] : !r
    }
  }
  warp.return
}

// -----

// blocks that use different slots of a common ring
!view = !tile.view<?x64xf16>
!r = !warp.aref<2, [tensor<64x64xf16>]>
!sm = !warp.smem<64x64xf16>
warp.kernel @k(%X: !view) attributes {cluster = 2 : i64} {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %r = warp.aref "x" : !r
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %rank = tile.cluster_rank
    scf.for %i = %c0 to %c4 step %c1 {
      %use = arith.addi %i, %rank : index
      // expected-error @+1 {{expected a use of ring "x" that all blocks of the cluster compute alike}}
      warp.acquire %r[%use] : !r
      warp.copy %X[%i, %c0] to %r[%i] field 0 multicast : !view, !r
      warp.publish %r[%i] : !r
    }
  }
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = warp.get %r[%i] : !r -> !sm
      %v = warp.read %x : !sm -> tensor<64x64xf16>
      warp.consumed %r[%i] : !r
    }
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
    warp.copy %X[%c0, %c0] to %r[%c0] field 1 : !view, !either
    // expected-error @below {{expected fields of one alternative of ring "x" in a use, got fields 0 and 1}}
    warp.publish %r[%c0] : !either
  }
  warp.group @use warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %t, %u = warp.get %r[%c0] : !either -> !warp.smem<64x64xf16>, !warp.smem<32x64xf16>
    warp.consumed %r[%c0] : !either
  }
  warp.return
}
