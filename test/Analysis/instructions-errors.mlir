// RUN: heddle-opt %s --heddle-verify-instructions -split-input-file -verify-diagnostics
// What is no program of the instruction level.

tile.kernel @dot(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = arith.constant dense<1.0> : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{expected warp.dot at the instruction level, got tile.dot}}
  %d = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @registers(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf16>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  // expected-note @below {{loaded here}}
  %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  // expected-error @below {{expected a tile in registers, got one that the copy engine brings to shared memory (take it by warp.loaded and warp.read)}}
  tile.store %x, %Y[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @shared(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf16>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  // expected-note @below {{loaded here}}
  %x = tile.load %X[%c0, %c0] {heddle.direct} : !tile.view<?x?xf16> -> tensor<64x64xf16>
  // expected-error @below {{expected a tile that the copy engine loads, got one of registers}}
  %s = warp.loaded %x : tensor<64x64xf16> -> !warp.smem<64x64xf16>
  %r = warp.read %s : !warp.smem<64x64xf16> -> tensor<64x64xf16>
  tile.store %r, %Y[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @form(%X: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x8xf16>
  %s = warp.loaded %x : tensor<64x8xf16> -> !warp.smem<64x8xf16>
  %t = warp.transpose %s : !warp.smem<64x8xf16> -> !warp.smem<8x64xf16>
  // expected-error @below {{expected a contraction size divisible by 16, got 8}}
  %d = warp.dot %s, %t : !warp.smem<64x8xf16>, !warp.smem<8x64xf16> -> tensor<64x64xf32>
  tile.store %d, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

tile.kernel @wait(%Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error @below {{expected no rings and no waits before a schedule says them, got one}}
  warp.barrier
  tile.return
}

// -----

// Group 1 takes a tile of group 0, through an operation that is free.
tile.kernel @groups(%X: !tile.view<?xf32>, %Y: !tile.view<?x?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %x = tile.load %X[%c0] {heddle.direct, heddle.group = 0 : i64} : !tile.view<?xf32> -> tensor<64xf32>
  // expected-note @below {{made here}}
  %e = math.exp2 %x {heddle.group = 0 : i64} : tensor<64xf32>
  %b = tile.broadcast %e axis 1 : tensor<64xf32> -> tensor<64x8xf32>
  // expected-error @below {{expected register tiles of its own warp group 1, got one of group 0}}
  tile.store %b, %Y[%c0, %c0] {heddle.group = 1 : i64} : tensor<64x8xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

// What a loop carries belongs to the group that the loop says.
tile.kernel @carried(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %one
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // expected-note @below {{made here}}
  %sum = scf.for %i = %c0 to %one step %one iter_args(%acc = %zero) -> (tensor<64xf32>) {
    %next = arith.negf %acc {heddle.group = 1 : i64} : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {heddle.arg_groups = array<i64: 1>}
  // expected-error @below {{expected register tiles of its own warp group 0, got one of group 1}}
  tile.store %sum, %Y[%c0] {heddle.group = 0 : i64} : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
