// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-cuda -o /dev/null -split-input-file -verify-diagnostics
// Errors of the printer.

// An accumulator is carried to the next trip in flight while that trip starts another one: two sets of registers are
// needed, and moving between them is impossible.
warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xf16>
  %o = warp.scratch "o" : !warp.smem<64x64xf32>
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tile.dim %A, 0 : !tile.view<?x?xf16>
    %d0 = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %d0) -> (tensor<64x64xf32>) {
      %d = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
      %w = warp.dot_wait 1 : %p : tensor<64x64xf32> -> tensor<64x64xf32>
      warp.write %w, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
      // expected-error @below {{expected an accumulator that can stay in its registers while a dot writes it, got one that must be copied at scf.yield (unroll the loop, or wait for the dot first)}}
      scf.yield %d : tensor<64x64xf32>
    }
    %e = warp.dot_wait 0 : %r : tensor<64x64xf32> -> tensor<64x64xf32>
    warp.write %e, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
  }
  warp.return
}

// -----

// The accumulator is read again after the product that overwrites it, and is still in flight.
warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xf16>
  %o = warp.scratch "o" : !warp.smem<64x64xf32>
  warp.group @use warps(4) regs(232) {
    %d0 = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    // expected-error @below {{got one that must be copied at hw.wgmma}}
    %d1 = warp.dot %x, %x acc(%d0 : tensor<64x64xf32>)
        : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    %w:2 = warp.dot_wait 0 : %d0, %d1 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>, tensor<64x64xf32>
    warp.write %w#0, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
    warp.write %w#1, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xi16>
  warp.group @use warps(4) regs(232) {
    %xt = warp.transpose %x : !warp.smem<64x64xi16> -> !warp.smem<64x64xi16>
    // expected-error @below {{expected f16, bf16, f8, f32 or i8 operands, got 'i16' and 'i16'}}
    %d = warp.dot %x, %xt : !warp.smem<64x64xi16>, !warp.smem<64x64xi16> -> tensor<64x64xf32>
    %w = warp.dot_wait 0 : %d : tensor<64x64xf32> -> tensor<64x64xf32>
  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xi8>
  warp.group @use warps(4) regs(232) {
    %a = warp.read %x : !warp.smem<64x64xi8> -> tensor<64x64xi8>
    %xt = warp.transpose %x : !warp.smem<64x64xi8> -> !warp.smem<64x64xi8>
    // expected-error @below {{expected i8 operands in shared memory, got 'tensor<64x64xi8}}
    %d = warp.dot %a, %xt : tensor<64x64xi8>, !warp.smem<64x64xi8> -> tensor<64x64xi32>
    %w = warp.dot_wait 0 : %d : tensor<64x64xi32> -> tensor<64x64xi32>
  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  %x = warp.scratch "x" : !warp.smem<64x64xf16>
  warp.group @use warps(4) regs(232) {
    // expected-error @below {{expected an accumulator of f32, or of i32 for i8 operands, got 'f16'}}
    %d = warp.dot %x, %x : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf16>
    %w = warp.dot_wait 0 : %d : tensor<64x64xf16> -> tensor<64x64xf16>
  }
  warp.return
}

// -----

warp.kernel @k(%A: !tile.view<?x?xf16>) {
  %g = arith.constant 1 : index
  tile.grid %g
  warp.group @use warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected an op that can be printed as CUDA}}
    scf.index_switch %c0
    case 1 {
      scf.yield
    }
    default {
    }
  }
  warp.return
}
