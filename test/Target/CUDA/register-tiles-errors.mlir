// RUN: heddle-opt --heddle-assign-layouts --heddle-lower-warp-to-hw --heddle-emit-cuda --split-input-file --verify-diagnostics %s


warp.kernel @k(%X: !tile.view<?xi16>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1> : tensor<64xi16>
    // expected-error @below {{expected f64, f32, f16, bf16, i64 or i32 elements for kind "add", got 'i16'}}
    tile.store %x, %X[%c0] {kind = "add"} : tensor<64xi16>, !tile.view<?xi16>
  }
  warp.return
}

// -----

warp.kernel @k(%X: !tile.view<?xi1>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<true> : tensor<64xi1>
    // expected-error @below {{expected f64, f32, f16, bf16, f8, i64, i32, i16 or i8 elements in global memory, got 'i1'}}
    tile.store %x, %X[%c0] : tensor<64xi1>, !tile.view<?xi1>
  }
  warp.return
}

// -----

warp.kernel @k(%X: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %s = warp.scratch "s" : !warp.smem<64x64xf32>
  warp.group @g warps(4) regs(240) {
    %p = warp.slice %s [0, 20] : !warp.smem<64x64xf32> -> !warp.smem<64x32xf32>
    %x = arith.constant dense<1.0> : tensor<64x32xf32>
    // expected-error @below {{expected a tile whose corner is aligned to its extent in storage of 64x64, got corner 0, 20}}
    warp.write %x, %p : tensor<64x32xf32>, !warp.smem<64x32xf32>
  }
  warp.return
}

// -----

warp.kernel @k(%X: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %x = arith.constant dense<true> : tensor<64x32xi1>
    // expected-error @below {{expected float or integer elements to reduce, got 'i1'}}
    %r = tile.reduce "max" %x axis 1 : tensor<64x32xi1> -> tensor<64xi1>
    %c0 = arith.constant 0 : index
    %n = arith.extui %r : tensor<64xi1> to tensor<64xi32>
    %f = arith.sitofp %n : tensor<64xi32> to tensor<64xf32>
    tile.store %f, %X[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
  warp.return
}

// -----

warp.kernel @k(%X: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %s = warp.scratch "s" : !warp.smem<64x64xi1>
  warp.group @g warps(4) regs(240) {
    %x = arith.constant dense<true> : tensor<64x64xi1>
    // expected-error @below {{expected numbers of 8 to 64 bits in shared memory, got 'i1'}}
    warp.write %x, %s : tensor<64x64xi1>, !warp.smem<64x64xi1>
  }
  warp.return
}
