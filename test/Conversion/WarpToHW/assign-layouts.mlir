// RUN: heddle-opt --heddle-assign-layouts %s | FileCheck %s
// One group of attention: everything follows the two accumulators; P needs no conversion to become an operand, and the
// masks, rows and columns are slices.

// CHECK-LABEL: warp.group @compute
// CHECK: arith.constant dense<0xFF800000> : tensor<64xf32, #hw.layout<reg [d0:8] lane [0, 0, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>>
// CHECK: tile.iota : tensor<128xi32, #hw.layout<reg [d0:1, d0:8, d0:16, d0:32, d0:64] lane [d0:2, d0:4, 0, 0, 0] warp [0, 0]>>
// CHECK-NOT: hw.convert_layout
// CHECK: scf.for
// CHECK: warp.dot {{.*}} -> tensor<64x128xf32, #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32, d1:64] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>>
// CHECK-NOT: hw.convert_layout
// CHECK: %[[P:.*]] = arith.truncf {{.*}} to tensor<64x128xf16, #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32, d1:64] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>>
// CHECK-NEXT: warp.dot %[[P]]
// CHECK-NOT: hw.convert_layout
// CHECK: warp.return
warp.kernel @attention(%K: !tile.view<?x128xf16>, %L: !tile.view<?xf32>, %scale: f32) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %r = warp.aref "kv" : !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]>
  %q = warp.scratch "q" : !warp.smem<64x128xf16>
  %o = warp.scratch "o" : !warp.smem<64x128xf16>
  warp.group @load warps(1) regs(40) {
    %z = arith.constant 0 : index
    %u = arith.constant 1 : index
    %n = tile.dim %K, 0 : !tile.view<?x128xf16>
    scf.for %j = %z to %n step %u {
      warp.acquire %r[%j] : !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]>
      warp.copy %K[%z, %z] to %r[%j] field 0
          : !tile.view<?x128xf16>, !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]>
      warp.copy %K[%z, %z] to %r[%j] field 1
          : !tile.view<?x128xf16>, !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]>
      warp.publish %r[%j] : !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]>
    }
  }
  warp.group @compute warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %T = tile.dim %K, 0 : !tile.view<?x128xf16>
    %neginf = arith.constant dense<0xFF800000> : tensor<64xf32>
    %neginf2 = arith.constant dense<0xFF800000> : tensor<64x128xf32>
    %zero1 = arith.constant dense<0.0> : tensor<64xf32>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %scale1 = tensor.splat %scale : tensor<64xf32>
    %scale2 = tensor.splat %scale : tensor<64x128xf32>
    %t32 = arith.index_cast %T : index to i32
    %limit = tensor.splat %t32 : tensor<128xi32>
    %cols = tile.iota : tensor<128xi32>
    %m, %l, %acc = scf.for %j = %c0 to %T step %one
        iter_args(%mi = %neginf, %li = %zero1, %oi = %zero) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>) {
      %k, %v = warp.get %r[%j] : !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]> -> !warp.smem<128x128xf16>,
          !warp.smem<128x128xf16>
      %kt = warp.transpose %k : !warp.smem<128x128xf16> -> !warp.smem<128x128xf16>
      %s0 = warp.dot %q, %kt : !warp.smem<64x128xf16>, !warp.smem<128x128xf16> -> tensor<64x128xf32>
      %s = warp.dot_wait 0 : %s0 : tensor<64x128xf32> -> tensor<64x128xf32>
      %j32 = arith.index_cast %j : index to i32
      %joff = tensor.splat %j32 : tensor<128xi32>
      %col = arith.addi %cols, %joff : tensor<128xi32>
      %in = arith.cmpi slt, %col, %limit : tensor<128xi32>
      %in2 = tile.broadcast %in axis 0 : tensor<128xi1> -> tensor<64x128xi1>
      %sm = arith.select %in2, %s, %neginf2 : tensor<64x128xi1>, tensor<64x128xf32>
      %rm = tile.reduce "max" %sm axis 1 : tensor<64x128xf32> -> tensor<64xf32>
      %mn = arith.maximumf %mi, %rm : tensor<64xf32>
      %ms = arith.mulf %mn, %scale1 : tensor<64xf32>
      %ms2 = tile.broadcast %ms axis 1 : tensor<64xf32> -> tensor<64x128xf32>
      %scaled = arith.mulf %sm, %scale2 : tensor<64x128xf32>
      %x = arith.subf %scaled, %ms2 : tensor<64x128xf32>
      %p = math.exp2 %x : tensor<64x128xf32>
      %mis = arith.mulf %mi, %scale1 : tensor<64xf32>
      %dm = arith.subf %mis, %ms : tensor<64xf32>
      %alpha = math.exp2 %dm : tensor<64xf32>
      %rs = tile.reduce "add" %p axis 1 : tensor<64x128xf32> -> tensor<64xf32>
      %la = arith.mulf %li, %alpha : tensor<64xf32>
      %ln = arith.addf %la, %rs : tensor<64xf32>
      %alpha2 = tile.broadcast %alpha axis 1 : tensor<64xf32> -> tensor<64x128xf32>
      %oa = arith.mulf %oi, %alpha2 : tensor<64x128xf32>
      %ph = arith.truncf %p : tensor<64x128xf32> to tensor<64x128xf16>
      %on0 = warp.dot %ph, %v acc(%oa : tensor<64x128xf32>)
          : tensor<64x128xf16>, !warp.smem<128x128xf16> -> tensor<64x128xf32>
      %on = warp.dot_wait 0 : %on0 : tensor<64x128xf32> -> tensor<64x128xf32>
      warp.consumed %r[%j] : !warp.aref<2, [tensor<128x128xf16>, tensor<128x128xf16>]>
      scf.yield %mn, %ln, %on : tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>
    }
    %l2 = tile.broadcast %l axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %oo = arith.divf %acc, %l2 : tensor<64x128xf32>
    %oh = arith.truncf %oo : tensor<64x128xf32> to tensor<64x128xf16>
    warp.write %oh, %o : tensor<64x128xf16>, !warp.smem<64x128xf16>
    %logl = math.log %l : tensor<64xf32>
    %lse = arith.addf %logl, %m : tensor<64xf32>
    tile.store %lse, %L[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
  warp.return
}
