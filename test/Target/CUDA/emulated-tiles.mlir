// RUN: heddle-opt --heddle-assign-layouts --heddle-lower-warp-to-hw --heddle-verify-layouts --heddle-emit-cuda %s -o /dev/null > %t.cu
// RUN: c++ -std=c++20 -O1 -w -include heddle_emulation/device.h -I %heddle_src/device/include -I %heddle_src/runtime/include -I %heddle_src/include -DKERNELS='"%t.cu"' %S/Inputs/emulated-tiles.cpp %heddle_lib/runtime/libHeddleEmulation.a %heddle_lib/runtime/libHeddleRuntime.a %heddle_lib/lib/Support/libHeddleSupport.a -ldl -o %t.exe
// RUN: %t.exe | FileCheck %s
// Printed register-tile code, run on the CPU thread by thread against plain loops.

// CHECK: epilogue ok
// CHECK: fp8 ok
// CHECK: roundtrip ok
// CHECK: parts ok
// CHECK: vectors ok

// Dot with A in registers and B row-major; bias, relu, row sums, column maxima over warps, f16 through swizzled shared
// memory.
warp.kernel @epilogue(%X: !tile.view<?x?xf16>, %W: !tile.view<?x?xf16>, %B: !tile.view<?xf32>, %Y: !tile.view<?x?xf16>,
                      %R: !tile.view<?xf32>, %C: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %sw = warp.scratch "w" : !warp.smem<64x96xf16>
  %so = warp.scratch "o" : !warp.smem<64x96xf16>
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %w = tile.load %W[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x96xf16>
    warp.write %w, %sw : tensor<64x96xf16>, !warp.smem<64x96xf16>
    warp.fence
    warp.barrier
    %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %d0 = warp.dot %a, %sw : tensor<64x64xf16>, !warp.smem<64x96xf16> -> tensor<64x96xf32>
    %d = warp.dot_wait 0 : %d0 : tensor<64x96xf32> -> tensor<64x96xf32>
    %bias = tile.load %B[%c0] : !tile.view<?xf32> -> tensor<96xf32>
    %bias2 = tile.broadcast %bias axis 0 : tensor<96xf32> -> tensor<64x96xf32>
    %s = arith.addf %d, %bias2 : tensor<64x96xf32>
    %z = arith.constant dense<0.0> : tensor<64x96xf32>
    %e = arith.maximumf %s, %z : tensor<64x96xf32>
    %r = tile.reduce "add" %e axis 1 : tensor<64x96xf32> -> tensor<64xf32>
    tile.store %r, %R[%c0] : tensor<64xf32>, !tile.view<?xf32>
    %m = tile.reduce "max" %e axis 0 : tensor<64x96xf32> -> tensor<96xf32>
    tile.store %m, %C[%c0] : tensor<96xf32>, !tile.view<?xf32>
    %r2 = tile.broadcast %r axis 1 : tensor<64xf32> -> tensor<64x96xf32>
    %f = arith.divf %e, %r2 : tensor<64x96xf32>
    %h = arith.truncf %f : tensor<64x96xf32> to tensor<64x96xf16>
    warp.write %h, %so : tensor<64x96xf16>, !warp.smem<64x96xf16>
    warp.barrier
    %back = warp.read %so : !warp.smem<64x96xf16> -> tensor<64x96xf16>
    tile.store %back, %Y[%c0, %c0] : tensor<64x96xf16>, !tile.view<?x?xf16>
  }
  warp.return
}

// The accumulator becomes an 8-bit operand through shared memory.
warp.kernel @fp8(%Q: !tile.view<?x?xf32>, %K: !tile.view<?x?xf32>, %O: !tile.view<?x?xf32>, %scale: f32) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %sq = warp.scratch "q" : !warp.smem<64x64xf8E4M3FN>
  %sk = warp.scratch "k" : !warp.smem<64x64xf8E4M3FN>
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %q = tile.load %Q[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %k = tile.load %K[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %q8 = arith.truncf %q : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
    %k8 = arith.truncf %k : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
    warp.write %q8, %sq : tensor<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN>
    warp.write %k8, %sk : tensor<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN>
    warp.fence
    warp.barrier
    %kt = warp.transpose %sk : !warp.smem<64x64xf8E4M3FN> -> !warp.smem<64x64xf8E4M3FN>
    %s0 = warp.dot %sq, %kt : !warp.smem<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %s = warp.dot_wait 0 : %s0 : tensor<64x64xf32> -> tensor<64x64xf32>
    %c = tensor.splat %scale : tensor<64x64xf32>
    %t = arith.mulf %s, %c : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
    %o0 = warp.dot %p, %kt : tensor<64x64xf8E4M3FN>, !warp.smem<64x64xf8E4M3FN> -> tensor<64x64xf32>
    %o = warp.dot_wait 0 : %o0 : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store %o, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
  warp.return
}

// No dot: blocked layouts, bounds, 32-byte swizzle, transposes in registers and in shared memory, slices of shared
// tiles.
warp.kernel @roundtrip(%X: !tile.view<?x?xf32>, %H: !tile.view<?x?xbf16>, %Y: !tile.view<?x?xf32>, %Z: !tile.view<?x?xbf16>, %S: !tile.view<?x?xf32>,
                       %i: index, %j: index) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %s = warp.scratch "s" : !warp.smem<128x40xf32>
  %h = warp.scratch "h" : !warp.smem<64x128xbf16>
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%i, %j] : !tile.view<?x?xf32> -> tensor<128x40xf32>
    warp.write %x, %s : tensor<128x40xf32>, !warp.smem<128x40xf32>
    %g = tile.load %H[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
    warp.write %g, %h : tensor<64x128xbf16>, !warp.smem<64x128xbf16>
    warp.barrier
    %st = warp.transpose %s : !warp.smem<128x40xf32> -> !warp.smem<40x128xf32>
    %t = warp.read %st : !warp.smem<40x128xf32> -> tensor<40x128xf32>
    tile.store %t, %Y[%c0, %c0] : tensor<40x128xf32>, !tile.view<?x?xf32>
    %p = warp.slice %h [32, 64] : !warp.smem<64x128xbf16> -> !warp.smem<32x64xbf16>
    %pt = warp.transpose %p : !warp.smem<32x64xbf16> -> !warp.smem<64x32xbf16>
    %q = warp.read %pt : !warp.smem<64x32xbf16> -> tensor<64x32xbf16>
    %r = arith.addf %q, %q : tensor<64x32xbf16>
    %u = tile.transpose %r : tensor<64x32xbf16> -> tensor<32x64xbf16>
    tile.store %u, %Z[%c0, %c0] : tensor<32x64xbf16>, !tile.view<?x?xbf16>
    tile.store %x, %S[%c0, %c0] {kind = "add"} : tensor<128x40xf32>, !tile.view<?x?xf32>
  }
  warp.return
}

// Two 64-row parts with a width that is no power of two; masks from row and column indices.
warp.kernel @parts(%X: !tile.view<?x?xf16>, %W: !tile.view<?x?xf16>, %Y: !tile.view<?x?xf32>, %R: !tile.view<?xf32>, %C: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %sx = warp.scratch "x" : !warp.smem<128x32xf16>
  %sw = warp.scratch "v" : !warp.smem<32x80xf16>
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    warp.write %x, %sx : tensor<128x32xf16>, !warp.smem<128x32xf16>
    %w = tile.load %W[%c0, %c0] : !tile.view<?x?xf16> -> tensor<32x80xf16>
    warp.write %w, %sw : tensor<32x80xf16>, !warp.smem<32x80xf16>
    warp.fence
    warp.barrier
    %d0 = warp.dot %sx, %sw : !warp.smem<128x32xf16>, !warp.smem<32x80xf16> -> tensor<128x80xf32>
    %d = warp.dot_wait 0 : %d0 : tensor<128x80xf32> -> tensor<128x80xf32>
    %i = tile.iota : tensor<128xi32>
    %j = tile.iota {start = 16 : i64} : tensor<80xi32>
    %i2 = tile.broadcast %i axis 1 : tensor<128xi32> -> tensor<128x80xi32>
    %j2 = tile.broadcast %j axis 0 : tensor<80xi32> -> tensor<128x80xi32>
    %in = arith.cmpi sge, %i2, %j2 : tensor<128x80xi32>
    %z = arith.constant dense<-1.5> : tensor<128x80xf32>
    %e = arith.select %in, %d, %z : tensor<128x80xi1>, tensor<128x80xf32>
    %r = tile.reduce "max" %e axis 1 : tensor<128x80xf32> -> tensor<128xf32>
    %c = tile.reduce "add" %e axis 0 : tensor<128x80xf32> -> tensor<80xf32>
    tile.store %e, %Y[%c0, %c0] : tensor<128x80xf32>, !tile.view<?x?xf32>
    tile.store %r, %R[%c0] : tensor<128xf32>, !tile.view<?xf32>
    tile.store %c, %C[%c0] : tensor<80xf32>, !tile.view<?xf32>
  }
  warp.return
}

// Rank 1, odd sizes, integers, scalars, a reduction to a scalar tile, a row that becomes a column.
warp.kernel @vectors(%X: !tile.view<?xf16>, %I: !tile.view<?xi32>, %Y: !tile.view<?xf16>, %J: !tile.view<?xi32>, %T: !tile.view<?x?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %q = arith.divui %n, %c7 : index
    %rem = arith.remui %n, %c7 : index
    %mn = arith.minsi %q, %rem : index
    %k = arith.index_cast %mn : index to i32
    %x = tile.load %X[%c0] : !tile.view<?xf16> -> tensor<7xf16>
    %y = arith.mulf %x, %x : tensor<7xf16>
    tile.store %y, %Y[%c0] : tensor<7xf16>, !tile.view<?xf16>
    %i = tile.load %I[%c0] : !tile.view<?xi32> -> tensor<96xi32>
    %ks = tensor.splat %k : tensor<96xi32>
    %s = arith.addi %i, %ks : tensor<96xi32>
    %m = tile.reduce "min" %s axis 0 : tensor<96xi32> -> tensor<i32>
    %ms = tile.broadcast %m axis 0 : tensor<i32> -> tensor<96xi32>
    %t = arith.subi %s, %ms : tensor<96xi32>
    tile.store %t, %J[%c0] : tensor<96xi32>, !tile.view<?xi32>
    %f = arith.sitofp %t : tensor<96xi32> to tensor<96xf32>
    %col = tile.broadcast %f axis 1 : tensor<96xf32> -> tensor<96x96xf32>
    %row = tile.broadcast %f axis 0 : tensor<96xf32> -> tensor<96x96xf32>
    %o = arith.subf %col, %row : tensor<96x96xf32>
    tile.store %o, %T[%c0, %c0] : tensor<96x96xf32>, !tile.view<?x?xf32>
  }
  warp.return
}
