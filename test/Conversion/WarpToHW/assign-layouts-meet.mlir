// RUN: heddle-opt --heddle-assign-layouts --split-input-file %s | FileCheck %s
// Where layouts meet.

// An operand computed from shared memory is read in the operand's fragment, its row sum is the slice of it: no
// conversion.
// CHECK-LABEL: @scaled_a
// CHECK: warp.read {{.*}} -> tensor<64x64xf16, #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>>
// CHECK-NOT: hw.convert_layout
// CHECK: warp.return
warp.kernel @scaled_a(%L: !tile.view<?xf32>, %s: f32) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = warp.scratch "a" : !warp.smem<64x64xf16>
  %b = warp.scratch "b" : !warp.smem<64x96xf16>
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = warp.read %a : !warp.smem<64x64xf16> -> tensor<64x64xf16>
    %f = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
    %k = tensor.splat %s : tensor<64x64xf32>
    %m = arith.mulf %f, %k : tensor<64x64xf32>
    %h = arith.truncf %m : tensor<64x64xf32> to tensor<64x64xf16>
    %d0 = warp.dot %h, %b : tensor<64x64xf16>, !warp.smem<64x96xf16> -> tensor<64x96xf32>
    %sum = tile.reduce "add" %f axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %d = warp.dot_wait 0 : %d0 : tensor<64x96xf32> -> tensor<64x96xf32>
    %sums = tile.broadcast %sum axis 1 : tensor<64xf32> -> tensor<64x96xf32>
    %e = arith.addf %d, %sums : tensor<64x96xf32>
    %r = tile.reduce "max" %e axis 1 : tensor<64x96xf32> -> tensor<64xf32>
    tile.store %r, %L[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
  warp.return
}

// -----

// The 8-bit operand wants four adjacent columns where the accumulator has two: lanes exchange words.
// CHECK-LABEL: @fp8_chain
// CHECK: %[[P:.*]] = arith.truncf
// CHECK: %[[Q:.*]] = hw.convert_layout %[[P]] {cost = "exchange"} : {{.*}} -> tensor<64x64xf8E4M3FN, #hw.layout<reg [d1:1, d1:2, d0:8, d1:16, d1:32] lane [d1:4, d1:8, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>>
// CHECK: warp.dot %[[Q]]
warp.kernel @fp8_chain(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = warp.scratch "a" : !warp.smem<64x64xf8E4M3FN>
  %b = warp.scratch "b" : !warp.smem<64x64xf8E4M3FN>
  warp.group @g warps(4) regs(240) {
    %bt = warp.transpose %b : !warp.smem<64x64xf8E4M3FN> -> !warp.smem<64x64xf8E4M3FN>
    %s0 = warp.dot %a, %bt : !warp.smem<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %s = warp.dot_wait 0 : %s0 : tensor<64x64xf32> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
    %o0 = warp.dot %p, %bt : tensor<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %o = warp.dot_wait 0 : %o0 : tensor<64x64xf32> -> tensor<64x64xf32>
  }
  warp.return
}

// -----

// A constant used as a row and as a column is recomputed, one index each way; equal copies are one again.
// CHECK-LABEL: @causal
// CHECK-DAG: tile.iota : tensor<64xi32, #hw.layout<reg [d0:8] lane [0, 0, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>>
// CHECK-DAG: tile.iota : tensor<64xi32, #hw.layout<reg [d0:1, d0:8, d0:16, d0:32] lane [d0:2, d0:4, 0, 0, 0] warp [0, 0]>>
// CHECK-NOT: tile.iota
// CHECK-NOT: hw.convert_layout
// CHECK: warp.return
warp.kernel @causal(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = warp.scratch "a" : !warp.smem<64x64xf16>
  %o = warp.scratch "o" : !warp.smem<64x64xf32>
  warp.group @g warps(4) regs(240) {
    %s0 = warp.dot %a, %a : !warp.smem<64x64xf16>, !warp.smem<64x64xf16> -> tensor<64x64xf32>
    %s = warp.dot_wait 0 : %s0 : tensor<64x64xf32> -> tensor<64x64xf32>
    %i = tile.iota : tensor<64xi32>
    %r = tile.broadcast %i axis 1 : tensor<64xi32> -> tensor<64x64xi32>
    %c = tile.broadcast %i axis 0 : tensor<64xi32> -> tensor<64x64xi32>
    %in = arith.cmpi sge, %r, %c : tensor<64x64xi32>
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %m = arith.select %in, %s, %z : tensor<64x64xi1>, tensor<64x64xf32>
    %n = arith.select %in, %m, %s : tensor<64x64xi1>, tensor<64x64xf32>
    warp.write %n, %o : tensor<64x64xf32>, !warp.smem<64x64xf32>
  }
  warp.return
}

// -----

// No dot at all: blocked, 16 bytes per thread; a column sum that is used as a row moves through shared memory.
// CHECK-LABEL: @plain
// CHECK: tile.load {{.*}} -> tensor<64x64xf32, #hw.layout<reg [d1:1, d1:2, d0:8, d0:16, d0:32] lane [d1:4, d1:8, d1:16, d1:32, d0:1] warp [d0:2, d0:4]>>
// CHECK: tile.reduce
// CHECK: hw.convert_layout {{.*}} {cost = "shared"}
// CHECK: tile.transpose
warp.kernel @plain(%X: !tile.view<?x?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %s = tile.reduce "add" %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
    %t = tile.broadcast %s axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %y = arith.addf %x, %t : tensor<64x64xf32>
    %z = tile.transpose %y : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store %z, %X[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
  warp.return
}
