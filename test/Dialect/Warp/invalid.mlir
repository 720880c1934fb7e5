// RUN: heddle-opt %s -split-input-file -verify-diagnostics
// What a type, an operation or the kernel of the warp dialect can check by itself.

// expected-error @below {{'warp.kernel' op expected one tile.grid, got 0}}
warp.kernel @no_grid(%A: !tile.view<?x?xf16>) {
  warp.group @g warps(4) regs(232) {
  }
  warp.return
}

// -----

// expected-error @below {{expected at least one warp.group, got none}}
warp.kernel @no_group(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  warp.return
}

// -----

// expected-error @below {{expected the body to end with warp.return}}
warp.kernel @no_return(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  warp.group @g warps(4) regs(232) {
  }
}

// -----

warp.kernel @warps(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  // expected-error @below {{expected 1, 4, 8 or 16 warps, got 2}}
  warp.group @g warps(2) regs(232) {
  }
  warp.return
}

// -----

warp.kernel @registers(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  // expected-error @below {{expected a multiple of 8 registers from 24 to 256, got 100}}
  warp.group @g warps(4) regs(100) {
  }
  warp.return
}

// -----

// expected-error @below {{expected statically shaped payload tiles, or a number of type index, got 'f16'}}
!bad = !warp.aref<2, [f16]>

// -----

// expected-error @below {{expected at most one number in a ring's payload, got several}}
!bad = !warp.aref<2, [index, index]>

// -----

warp.kernel @number_of_a_tile(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [index, tensor<64x64xf16>]>
  warp.group @g warps(1) regs(24) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a field that holds a tile, got 'index'}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 : !tile.view<?x?xf16>, !warp.aref<2, [index, tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @tile_of_a_number(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @g warps(1) regs(24) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected 'tensor<64x64xf16>', got 'index'}}
    warp.put %c0 to %r[%c0] field 0 : index, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @counted_cluster(%A: !tile.view<?x?xf16>) attributes {cluster = 2 : i64} {
  %n = arith.constant 1 : index
  tile.grid %n
  warp.group @g warps(1) regs(24) {
    %c9 = arith.constant 9 : index
    // expected-error @below {{expected a kernel without clusters, got clusters of 2}}
    %next = warp.next_program of %c9
  }
  warp.return
}

// -----

// expected-error @below {{expected a shared-memory tile of rank 1 or 2, got rank 3}}
!bad = !warp.smem<2x64x64xf16>

// -----

warp.kernel @field(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "a" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a field below 1, got 1}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 1 : !tile.view<?x?xf16>, !warp.aref<1, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @get(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "a" : !warp.aref<1, [tensor<64x64xf16>]>
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a result like 'tensor<64x64xf16>', got '!warp.smem<64x32xf16>'}}
    %t = warp.get %r[%c0] : !warp.aref<1, [tensor<64x64xf16>]> -> !warp.smem<64x32xf16>
  }
  warp.return
}

// -----

warp.kernel @slice_rank(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x64xf16>
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected a part of '!warp.smem<64x64xf16>' with as many offsets as dimensions, got '!warp.smem<64xf16>'}}
    %t = warp.slice %s [0, 0] : !warp.smem<64x64xf16> -> !warp.smem<64xf16>
  }
  warp.return
}

// -----

warp.kernel @slice_end(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x64xf16>
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected the slice to end by 64, got 96}}
    %t = warp.slice %s [64, 0] : !warp.smem<64x64xf16> -> !warp.smem<32x64xf16>
  }
  warp.return
}

// -----

warp.kernel @transpose(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x32xf16>
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected the source's two dimensions exchanged, got '!warp.smem<64x32xf16>'}}
    %t = warp.transpose %s : !warp.smem<64x32xf16> -> !warp.smem<64x32xf16>
  }
  warp.return
}

// -----

warp.kernel @read(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x32xf16>
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected a register tile like '!warp.smem<64x32xf16>', got 'tensor<64x64xf16>'}}
    %t = warp.read %s : !warp.smem<64x32xf16> -> tensor<64x64xf16>
  }
  warp.return
}

// -----

warp.kernel @dot(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x32xf16>
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected MxK, KxN and MxN, got '!warp.smem<64x32xf16>', '!warp.smem<64x32xf16>', 'tensor<64x32xf32>'}}
    %t = warp.dot %s, %s : !warp.smem<64x32xf16>, !warp.smem<64x32xf16> -> tensor<64x32xf32>
  }
  warp.return
}

// -----

warp.kernel @accumulator(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x64xf16>
  warp.group @use warps(4) regs(232) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-error @below {{expected an accumulator of type 'tensor<64x64xf32>', got 'tensor<64x64xf16>'}}
    %t = warp.dot %s, %s acc(%zero : tensor<64x64xf16>)
        : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
  }
  warp.return
}

// -----

warp.kernel @wait(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  warp.group @use warps(4) regs(232) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-error @below {{expected results of the operands' types}}
    %t = warp.dot_wait 0 : %zero : tensor<64x64xf16> -> tensor<64x64xf32>
  }
  warp.return
}

// -----

warp.kernel @wait_for_nothing(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected a count, tokens or tiles to wait for, got none}}
    warp.dot_wait
  }
  warp.return
}

// -----

warp.kernel @wait_both(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %s = warp.scratch "s" : !warp.smem<64x64xf16>
  warp.group @use warps(4) regs(232) {
    %r, %t = warp.dot %s, %s : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>, !warp.token
    // expected-error @below {{expected a count or tokens to wait for, got both}}
    warp.dot_wait 0 for %t
  }
  warp.return
}

// -----

warp.kernel @loaded(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  warp.group @use warps(4) regs(232) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-error @below {{expected the result of a tile.load}}
    %s = warp.loaded %zero : tensor<64x64xf16> -> !warp.smem<64x64xf16>
  }
  warp.return
}

// -----

warp.kernel @multicast_alone(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected multicast in a kernel with a cluster of at least 2 blocks, got 1}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 multicast : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @multicast_parts(%A: !tile.view<?x?xf16>) attributes {cluster = 4 : i64} {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<48x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a multicast tile whose rows divide into 4 parts of a multiple of 8, got 'tensor<48x64xf16>'}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 multicast : !tile.view<?x?xf16>, !warp.aref<2, [tensor<48x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @alternatives(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  // expected-error @below {{expected two or more alternatives with the 2 fields of the ring among them}}
  %r = warp.aref "r" {alternatives = array<i64: 1, 2>} : !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
  warp.group @g warps(4) regs(232) {
  }
  warp.return
}

// -----

warp.kernel @alternative_number(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  // expected-error @below {{expected tiles in a ring with alternatives, got a number}}
  %r = warp.aref "r" {alternatives = array<i64: 1, 1>} : !warp.aref<1, [tensor<64x64xf16>, index]>
  warp.group @g warps(4) regs(232) {
  }
  warp.return
}

// -----

// expected-error @below {{expected an order of at least 2 places, got 1}}
!bad = !warp.order<1>

// -----

warp.kernel @place(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %order = warp.order "order" : !warp.order<2>
  warp.group @g warps(4) regs(232) {
    %round = arith.constant 0 : index
    // expected-error @below {{expected a place below 2, got 2}}
    warp.enter %order[%round] at 2 : !warp.order<2>
    warp.leave %order[%round] at 0 : !warp.order<2>
  }
  warp.return
}

// -----

warp.kernel @never_left(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %order = warp.order "order" : !warp.order<2>
  warp.group @g warps(4) regs(232) {
    %round = arith.constant 0 : index
    // expected-error @below {{expected leave behind enter in its block, got none}}
    warp.enter %order[%round] at 0 : !warp.order<2>
  }
  warp.return
}

// -----

warp.kernel @entered_twice(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %order = warp.order "order" : !warp.order<2>
  warp.group @g warps(4) regs(232) {
    %round = arith.constant 0 : index
    warp.enter %order[%round] at 0 : !warp.order<2>
    // expected-error @below {{expected leave before the next enter of an order in its block, got none}}
    warp.enter %order[%round] at 0 : !warp.order<2>
    warp.leave %order[%round] at 0 : !warp.order<2>
  }
  warp.return
}

// -----

warp.kernel @not_entered(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %order = warp.order "order" : !warp.order<2>
  warp.group @g warps(4) regs(232) {
    %round = arith.constant 0 : index
    // expected-error @below {{expected enter before leave in its block, got none}}
    warp.leave %order[%round] at 0 : !warp.order<2>
  }
  warp.return
}

// -----

warp.kernel @copy_columns(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(24) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected an extent of whole rows of 'tensor<64x64xf16>', and no multicast, for the copy engine}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 {extent = array<i64: 16, 32>}
      : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @copy_rows(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %i = arith.constant dense<0> : tensor<64xi32>
    // expected-error @below {{expected threads for named rows, got the copy engine}}
    warp.copy %A[%c0, %c0] rows(%i : tensor<64xi32>) to %r[%c0] field 0
      : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @copy_by_one(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a copy by threads in a group of at least 4 warps, got a group of 1}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 threads : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @copy_to_others(%A: !tile.view<?x?xf16>) attributes {cluster = 2 : i64} {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected threads to copy to their own block, got multicast}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 multicast threads
      : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @copy_row(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64xf16>]>
  warp.group @load warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected threads to copy a tile of rank 2, got 'tensor<64xf16>'}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 threads : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @copy_fewer(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %i = arith.constant dense<0> : tensor<32xi32>
    // expected-error @below {{expected 64 integers that name rows, got 'tensor<32xi32>'}}
    warp.copy %A[%c0, %c0] rows(%i : tensor<32xi32>) to %r[%c0] field 0 threads
      : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}

// -----

warp.kernel @copy_extent(%A: !tile.view<?x?xf16>) {
  %n = arith.constant 1 : index
  tile.grid %n
  %r = warp.aref "r" : !warp.aref<2, [tensor<64x64xf16>]>
  warp.group @load warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected an extent of 2 numbers, got 1}}
    warp.copy %A[%c0, %c0] to %r[%c0] field 0 threads {extent = array<i64: 3>}
      : !tile.view<?x?xf16>, !warp.aref<2, [tensor<64x64xf16>]>
  }
  warp.return
}
