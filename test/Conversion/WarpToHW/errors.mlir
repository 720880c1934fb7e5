// RUN: heddle-opt %s --heddle-lower-warp-to-hw=smem=232448 -split-input-file -verify-diagnostics
// Every error of the lowering to hw.
// expected-error @below {{infeasible: shared memory: needs 262176 bytes, limit 232448, over by 29728}}
warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  // expected-note @below {{ring 'ab' takes 2 x 131072}}
  %r = warp.aref "ab" : !warp.aref<2, [tensor<256x256xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<2, [tensor<256x256xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<2, [tensor<256x256xf16>]>
    warp.publish %r[%c0] : !warp.aref<2, [tensor<256x256xf16>]>
  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<2, [tensor<256x256xf16>]>
  }
  warp.return
}

// -----

// expected-error @below {{infeasible: registers: the groups ask for 96256, limit 64512 for 384 threads, over by 31744}}
warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  warp.group @a warps(4) regs(240) {
  }
  warp.group @b warps(4) regs(256) {
  }
  warp.group @c warps(4) regs(256) {
  }
  warp.return
}

// -----

// expected-error @below {{infeasible: threads: needs 1152, limit 1024, over by 128}}
warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  warp.group @g0 warps(4) regs(24) {
  }
  warp.group @g1 warps(4) regs(24) {
  }
  warp.group @g2 warps(4) regs(24) {
  }
  warp.group @g3 warps(4) regs(24) {
  }
  warp.group @g4 warps(4) regs(24) {
  }
  warp.group @g5 warps(4) regs(24) {
  }
  warp.group @g6 warps(4) regs(24) {
  }
  warp.group @g7 warps(4) regs(24) {
  }
  warp.group @g8 warps(4) regs(24) {
  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  // expected-error @below {{expected group 'load' to publish ring 'ab' that it fills}}
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  // expected-error @below {{expected a group that publishes ring 'ab', got none}}
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  // expected-error @below {{expected a group that consumes ring 'ab', got none}}
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
  // expected-error @below {{expected the copies and the publish of this use after it in the same block}}
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]> -> !warp.smem<64x64xf16>
    %s = warp.slice %t [4, 0] : !warp.smem<64x64xf16> -> !warp.smem<8x64xf16>
    %st = warp.transpose %s : !warp.smem<8x64xf16> -> !warp.smem<64x8xf16>
  // expected-error @below {{expected a slice of whole 8-row groups that starts at a chunk of columns}}
    %d = warp.dot %t, %st : !warp.smem<64x64xf16>, !warp.smem<64x8xf16> -> tensor<64x8xf32>
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]> -> !warp.smem<64x64xf16>
    %s = warp.slice %t [0, 0] : !warp.smem<64x64xf16> -> !warp.smem<64x4xf16>
  // expected-error @below {{expected a width that is a multiple of 8, got 4}}
    %d = warp.dot %t, %s : !warp.smem<64x64xf16>, !warp.smem<64x4xf16> -> tensor<64x4xf32>
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
  // expected-error @below {{expected increasing dims that end with the view's innermost dimension 1}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 {dims = array<i64: 1, 0>}
        : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
  // expected-error @below {{expected 2 dims (the tile's rank), got 1}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 {dims = array<i64: 1>}
        : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x4xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x4xf16>]>
  // expected-error @below {{expected rows of a multiple of 16 bytes, got 8}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x4xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x4xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x4xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x24xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x24xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x24xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x24xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !warp.aref<1, [tensor<64x24xf16>]> -> !warp.smem<64x24xf16>
    %s = warp.slice %t [0, 0] : !warp.smem<64x24xf16> -> !warp.smem<8x24xf16>
    %st = warp.transpose %s : !warp.smem<8x24xf16> -> !warp.smem<24x8xf16>
  // expected-error @below {{expected operand rows of a multiple of 32 bytes}}
    %d = warp.dot %t, %st : !warp.smem<64x24xf16>, !warp.smem<24x8xf16> -> tensor<64x8xf32>
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x24xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<257x8xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<257x8xf16>]>
  // expected-error @below {{expected tile extents of at most 256 or with a divisor up to it that is a multiple of 8, got 257x8}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<257x8xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<257x8xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<257x8xf16>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  %o = warp.scratch "o" : !warp.smem<64x64xf16>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    %s = warp.slice %o [4, 0] : !warp.smem<64x64xf16> -> !warp.smem<8x64xf16>
  // expected-error @below {{expected a slice of whole 8-row groups and 64-column chunks}}
    warp.copy_out %s to %A[%c0, %c0] : !warp.smem<8x64xf16>, !tile.view<?x?xf16>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  %o = warp.scratch "o" : !warp.smem<64x64xf16>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    %s = warp.transpose %o : !warp.smem<64x64xf16> -> !warp.smem<64x64xf16>
  // expected-error @below {{expected a tile in its storage's order, got a transposed one}}
    warp.copy_out %s to %A[%c0, %c0] : !warp.smem<64x64xf16>, !tile.view<?x?xf16>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>]>
  %o = warp.scratch "o" : !warp.smem<64x24xf16>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]>
    %s = warp.slice %o [0, 0] : !warp.smem<64x24xf16> -> !warp.smem<64x8xf16>
  // expected-error @below {{expected whole rows of unswizzled storage, at most 256 elements}}
    warp.copy_out %s to %A[%c0, %c0] : !warp.smem<64x8xf16>, !tile.view<?x?xf16>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf8E4M3FN>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf8E4M3FN>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf8E4M3FN>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf8E4M3FN>, !warp.aref<1, [tensor<64x64xf8E4M3FN>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf8E4M3FN>]>

  }
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %t = warp.get %r[%c0] : !warp.aref<1, [tensor<64x64xf8E4M3FN>]> -> !warp.smem<64x64xf8E4M3FN>
  // expected-error @below {{expected 8-bit and 32-bit operands to be contiguous along the contraction}}
    %d = warp.dot %t, %t : !warp.smem<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN> -> tensor<64x64xf32>
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf8E4M3FN>]>

  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x32xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x32xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x32xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x32xf16>]>
  }
  %o = warp.scratch "o" : !warp.smem<32x64xf16>
  %p = warp.scratch "p" : !warp.smem<64x96xf16>
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %pt = warp.slice %p [0, 0] : !warp.smem<64x96xf16> -> !warp.smem<32x64xf16>
    %a = warp.transpose %pt : !warp.smem<32x64xf16> -> !warp.smem<64x32xf16>
    // expected-error @below {{expected transposed A storage with rows of a multiple of 128 bytes}}
    %d = warp.dot %a, %o : !warp.smem<64x32xf16>, !warp.smem<32x64xf16> -> tensor<64x64xf32>
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x32xf16>]>
  }
  warp.return
}

// -----

warp.kernel @dot8(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %s = warp.scratch "s" : !warp.smem<64x64xf16>
  warp.group @use warps(8) regs(232) {
    // expected-error @below {{expected dots in groups of 4 warps only, got a group of 8}}
    %d = warp.dot %s, %s : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    %w = warp.dot_wait 0 : %d : tensor<64x64xf32> -> tensor<64x64xf32>
  }
  warp.return
}

// -----

warp.kernel @warps_of_an_order(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  // expected-error @below {{expected groups of 4 warps in an order, got one of 1}}
  %order = warp.order "order" : !warp.order<2>
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    warp.enter %order[%c0] at 0 : !warp.order<2>
    warp.leave %order[%c0] at 0 : !warp.order<2>
  }
  warp.group @b warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    warp.enter %order[%c0] at 1 : !warp.order<2>
    warp.leave %order[%c0] at 1 : !warp.order<2>
  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  // expected-error @below {{expected threads alone to fill ring 'ab', got the copy engine or a put beside them}}
  %r = warp.aref "ab" : !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
  warp.group @both warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    warp.acquire %r[%c0] : !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 threads
      : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
    warp.copy %A[%c0, %c0] to %r[%c0] field 1
      : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
    warp.publish %r[%c0] : !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
    warp.get %r[%c0] : !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
      -> !warp.smem<64x64xf16>, !warp.smem<64x64xf16>
    warp.consumed %r[%c0] : !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
  }
  warp.return
}
