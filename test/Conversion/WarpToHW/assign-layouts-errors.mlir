// RUN: heddle-opt --heddle-assign-layouts --split-input-file --verify-diagnostics %s

warp.kernel @one_warp(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(1) regs(40) {
    // expected-error @below {{expected register tiles in groups of at least 4 warps, got a group of 1}}
    %z = arith.constant dense<0.0> : tensor<64xf32>
  }
  warp.return
}

// -----

warp.kernel @unknown(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    %c0 = arith.constant 0 : index
    %z = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error @below {{expected an op that register layouts are defined for}}
    %e = tensor.extract %z[%c0] : tensor<64xf32>
  }
  warp.return
}

// -----

warp.kernel @encoded(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    // expected-error @below {{expected tiles without encoding, got 'tensor<64xf32, 1 : i64>'}}
    %z = arith.constant dense<0.0> : tensor<64xf32, 1 : i64>
  }
  warp.return
}

// -----

warp.kernel @rank(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    // expected-error @below {{expected a tile of rank at most 4 and sizes from 1 to 32768, got 'tensor<1x1x1x1x1xf32>'}}
    %z = arith.constant dense<0.0> : tensor<1x1x1x1x1xf32>
  }
  warp.return
}
