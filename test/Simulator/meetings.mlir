// RUN: heddle-opt %s --heddle-simulate-warp="dims=M=64" -split-input-file -verify-diagnostics
// Two groups write one place: the barrier of all groups orders them, or a race is reported.

!view = !tile.view<?x64xf16>
!h = tensor<64x64xf16>
warp.kernel @ordered(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}, %Y: !view {tile.name = "Y", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !view -> !h
    tile.store %x, %Y[%c0, %c0] : !h, !view
    warp.barrier global groups
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !view -> !h
    warp.barrier global groups
    tile.store %x, %Y[%c0, %c0] : !h, !view
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
!h = tensor<64x64xf16>
warp.kernel @own_barriers(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}, %Y: !view {tile.name = "Y", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !view -> !h
    tile.store %x, %Y[%c0, %c0] : !h, !view
    warp.barrier global
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !view -> !h
    warp.barrier global
    // expected-error @below {{race in cta 0, 0, 0: expected the store of Y by @b and the store by @a to be ordered, got a race in global memory}}
    tile.store %x, %Y[%c0, %c0] : !h, !view
  }
  warp.return
}

// -----

!view = !tile.view<?x64xf16>
warp.kernel @alone(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @a warps(4) regs(160) {
    // expected-error @below {{deadlock in cta 0, 0, 0: expected some group to go on, got @a waiting for the other groups at a barrier of all groups}}
    warp.barrier groups
  }
  warp.group @b warps(4) regs(160) {
  }
  warp.return
}
