// RUN: heddle-opt --heddle-verify-warp --heddle-simulate-warp="dims=S=128,T=256 svg=%t.svg" %s 2>&1 | FileCheck %s
// Attention forward on one head, software-pipelined by one: the product P V of block i-1 runs under the softmax of
// block i; the compute groups take turns on the tensor core by ordering tokens.
// CHECK: attention: 1 ctas, {{[0-9]+}} cycles
// CHECK: warp.kernel @attention
!view = !tile.view<?x64xf16>
!rq = !warp.aref<1, [tensor<64x64xf16>, tensor<64x64xf16>]>
!rk = !warp.aref<2, [tensor<64x64xf16>]>
!tok = !warp.aref<1, []>
!sm = !warp.smem<64x64xf16>
!s = tensor<64x64xf32>
!h = tensor<64x64xf16>
!v = tensor<64xf32>
warp.kernel @attention(%Q: !view {tile.name = "Q", tile.dims = ["S", "D"]}, %K: !view {tile.name = "K", tile.dims = ["T", "D"]},
                       %V: !view {tile.name = "V", tile.dims = ["T", "D"]}, %O: !view {tile.name = "O", tile.dims = ["S", "D"]},
                       %scale: f32 {tile.name = "scale", tile.default = 0.18033688 : f32}) {
  %h128 = arith.constant 128 : index
  %hS = tile.dim %Q, 0 : !view
  %gm = arith.ceildivui %hS, %h128 : index
  tile.grid %gm
  %rq = warp.aref "q" : !rq
  %rk = warp.aref "k" : !rk
  %rv = warp.aref "v" : !rk
  %t0 = warp.aref "turn0" : !tok
  %t1 = warp.aref "turn1" : !tok
  %out0 = warp.scratch "o0" : !sm
  %out1 = warp.scratch "o1" : !sm
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %T = tile.dim %K, 0 : !view
    %trips = arith.ceildivui %T, %c64 : index
    %pm = tile.program_id 0
    %m0 = arith.muli %pm, %c128 : index
    %m1 = arith.addi %m0, %c64 : index
    warp.acquire %rq[%c0] : !rq
    warp.copy %Q[%m0, %c0] to %rq[%c0] field 0 : !view, !rq
    warp.copy %Q[%m1, %c0] to %rq[%c0] field 1 : !view, !rq
    warp.publish %rq[%c0] : !rq
    scf.for %i = %c0 to %trips step %c1 {
      %j = arith.muli %i, %c64 : index
      warp.acquire %rk[%i] : !rk
      warp.copy %K[%j, %c0] to %rk[%i] field 0 : !view, !rk
      warp.publish %rk[%i] : !rk
      warp.acquire %rv[%i] : !rk
      warp.copy %V[%j, %c0] to %rv[%i] field 0 : !view, !rk
      warp.publish %rv[%i] : !rk
    }
  }
  warp.group @compute0 warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %T = tile.dim %K, 0 : !view
    %trips = arith.ceildivui %T, %c64 : index
    %pm = tile.program_id 0
    %m0 = arith.muli %pm, %c128 : index
    %t32 = arith.index_cast %T : index to i32
    %limit = tensor.splat %t32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %neginf2 = arith.constant dense<0xFF800000> : !s
    %scale1 = tensor.splat %scale : !v
    %scale2 = tensor.splat %scale : !s
    %zero = arith.constant dense<0.0> : !s
    %qa, %qb = warp.get %rq[%c0] : !rq -> !sm, !sm
    %k0 = warp.get %rk[%c0] : !rk -> !sm
    %kt0 = warp.transpose %k0 : !sm -> !sm
    %ps0 = warp.dot %qa, %kt0 : !sm, !sm -> !s
    warp.acquire %t0[%c0] : !tok
    warp.publish %t0[%c0] : !tok
    %ps = warp.dot_wait 0 : %ps0 : !s -> !s
    warp.consumed %rk[%c0] : !rk
    %pj = arith.muli %c0, %c64 : index
    %pj32 = arith.index_cast %pj : index to i32
    %pjoff = tensor.splat %pj32 : tensor<64xi32>
    %pcol = arith.addi %cols, %pjoff : tensor<64xi32>
    %pin = arith.cmpi slt, %pcol, %limit : tensor<64xi32>
    %pin2 = tile.broadcast %pin axis 0 : tensor<64xi1> -> tensor<64x64xi1>
    %psm = arith.select %pin2, %ps, %neginf2 : tensor<64x64xi1>, !s
    %prm = tile.reduce "max" %psm axis 1 : !s -> !v
    %pms = arith.mulf %prm, %scale1 : !v
    %pms2 = tile.broadcast %pms axis 1 : !v -> !s
    %pscaled = arith.mulf %psm, %scale2 : !s
    %px = arith.subf %pscaled, %pms2 : !s
    %pp = math.exp2 %px : !s
    %prs = tile.reduce "add" %pp axis 1 : !s -> !v
    %pph = arith.truncf %pp : !s to !h
    %m, %l, %ph, %acc = scf.for %i = %c1 to %trips step %c1
        iter_args(%mi = %prm, %li = %prs, %pi = %pph, %oi = %zero) -> (!v, !v, !h, !s) {
      %last = arith.subi %i, %c1 : index
      %k = warp.get %rk[%i] : !rk -> !sm
      %kt = warp.transpose %k : !sm -> !sm
      warp.get %t1[%last] : !tok
      %qs0 = warp.dot %qa, %kt : !sm, !sm -> !s
      %v = warp.get %rv[%last] : !rk -> !sm
      %o0 = warp.dot %pi, %v acc(%oi : !s) : !h, !sm -> !s
      warp.consumed %t1[%last] : !tok
      warp.acquire %t0[%i] : !tok
      warp.publish %t0[%i] : !tok
      %qs = warp.dot_wait 1 : %qs0 : !s -> !s
      warp.consumed %rk[%i] : !rk
      %qj = arith.muli %i, %c64 : index
      %qj32 = arith.index_cast %qj : index to i32
      %qjoff = tensor.splat %qj32 : tensor<64xi32>
      %qcol = arith.addi %cols, %qjoff : tensor<64xi32>
      %qin = arith.cmpi slt, %qcol, %limit : tensor<64xi32>
      %qin2 = tile.broadcast %qin axis 0 : tensor<64xi1> -> tensor<64x64xi1>
      %qsm = arith.select %qin2, %qs, %neginf2 : tensor<64x64xi1>, !s
      %qrm = tile.reduce "max" %qsm axis 1 : !s -> !v
      %mn = arith.maximumf %mi, %qrm : !v
      %qms = arith.mulf %mn, %scale1 : !v
      %qms2 = tile.broadcast %qms axis 1 : !v -> !s
      %qscaled = arith.mulf %qsm, %scale2 : !s
      %qx = arith.subf %qscaled, %qms2 : !s
      %qp = math.exp2 %qx : !s
      %qrs = tile.reduce "add" %qp axis 1 : !s -> !v
      %mis = arith.mulf %mi, %scale1 : !v
      %dm = arith.subf %mis, %qms : !v
      %alpha = math.exp2 %dm : !v
      %la = arith.mulf %li, %alpha : !v
      %ln = arith.addf %la, %qrs : !v
      %qph = arith.truncf %qp : !s to !h
      %o1 = warp.dot_wait 0 : %o0 : !s -> !s
      warp.consumed %rv[%last] : !rk
      %alpha2 = tile.broadcast %alpha axis 1 : !v -> !s
      %oa = arith.mulf %o1, %alpha2 : !s
      scf.yield %mn, %ln, %qph, %oa : !v, !v, !h, !s
    }
    %final = arith.subi %trips, %c1 : index
    warp.get %t1[%final] : !tok
    warp.consumed %t1[%final] : !tok
    %ve = warp.get %rv[%final] : !rk -> !sm
    %oe0 = warp.dot %ph, %ve acc(%acc : !s) : !h, !sm -> !s
    %oe = warp.dot_wait 0 : %oe0 : !s -> !s
    warp.consumed %rv[%final] : !rk
    warp.consumed %rq[%c0] : !rq
    %l2 = tile.broadcast %l axis 1 : !v -> !s
    %on = arith.divf %oe, %l2 : !s
    %oh = arith.truncf %on : !s to !h
    warp.write %oh, %out0 : !h, !sm
    warp.fence
    warp.barrier
    warp.copy_out %out0 to %O[%m0, %c0] : !sm, !view
    warp.copy_out_wait 0
  }
  warp.group @compute1 warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %T = tile.dim %K, 0 : !view
    %trips = arith.ceildivui %T, %c64 : index
    %pm = tile.program_id 0
    %m0 = arith.muli %pm, %c128 : index
    %m0b = arith.addi %m0, %c64 : index
    %t32 = arith.index_cast %T : index to i32
    %limit = tensor.splat %t32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %neginf2 = arith.constant dense<0xFF800000> : !s
    %scale1 = tensor.splat %scale : !v
    %scale2 = tensor.splat %scale : !s
    %zero = arith.constant dense<0.0> : !s
    %qa, %qb = warp.get %rq[%c0] : !rq -> !sm, !sm
    %k0 = warp.get %rk[%c0] : !rk -> !sm
    %kt0 = warp.transpose %k0 : !sm -> !sm
    warp.get %t0[%c0] : !tok
    %ps0 = warp.dot %qb, %kt0 : !sm, !sm -> !s
    warp.consumed %t0[%c0] : !tok
    warp.acquire %t1[%c0] : !tok
    warp.publish %t1[%c0] : !tok
    %ps = warp.dot_wait 0 : %ps0 : !s -> !s
    warp.consumed %rk[%c0] : !rk
    %pj = arith.muli %c0, %c64 : index
    %pj32 = arith.index_cast %pj : index to i32
    %pjoff = tensor.splat %pj32 : tensor<64xi32>
    %pcol = arith.addi %cols, %pjoff : tensor<64xi32>
    %pin = arith.cmpi slt, %pcol, %limit : tensor<64xi32>
    %pin2 = tile.broadcast %pin axis 0 : tensor<64xi1> -> tensor<64x64xi1>
    %psm = arith.select %pin2, %ps, %neginf2 : tensor<64x64xi1>, !s
    %prm = tile.reduce "max" %psm axis 1 : !s -> !v
    %pms = arith.mulf %prm, %scale1 : !v
    %pms2 = tile.broadcast %pms axis 1 : !v -> !s
    %pscaled = arith.mulf %psm, %scale2 : !s
    %px = arith.subf %pscaled, %pms2 : !s
    %pp = math.exp2 %px : !s
    %prs = tile.reduce "add" %pp axis 1 : !s -> !v
    %pph = arith.truncf %pp : !s to !h
    %m, %l, %ph, %acc = scf.for %i = %c1 to %trips step %c1
        iter_args(%mi = %prm, %li = %prs, %pi = %pph, %oi = %zero) -> (!v, !v, !h, !s) {
      %last = arith.subi %i, %c1 : index
      %k = warp.get %rk[%i] : !rk -> !sm
      %kt = warp.transpose %k : !sm -> !sm
      warp.get %t0[%i] : !tok
      %qs0 = warp.dot %qb, %kt : !sm, !sm -> !s
      %v = warp.get %rv[%last] : !rk -> !sm
      %o0 = warp.dot %pi, %v acc(%oi : !s) : !h, !sm -> !s
      warp.consumed %t0[%i] : !tok
      warp.acquire %t1[%i] : !tok
      warp.publish %t1[%i] : !tok
      %qs = warp.dot_wait 1 : %qs0 : !s -> !s
      warp.consumed %rk[%i] : !rk
      %qj = arith.muli %i, %c64 : index
      %qj32 = arith.index_cast %qj : index to i32
      %qjoff = tensor.splat %qj32 : tensor<64xi32>
      %qcol = arith.addi %cols, %qjoff : tensor<64xi32>
      %qin = arith.cmpi slt, %qcol, %limit : tensor<64xi32>
      %qin2 = tile.broadcast %qin axis 0 : tensor<64xi1> -> tensor<64x64xi1>
      %qsm = arith.select %qin2, %qs, %neginf2 : tensor<64x64xi1>, !s
      %qrm = tile.reduce "max" %qsm axis 1 : !s -> !v
      %mn = arith.maximumf %mi, %qrm : !v
      %qms = arith.mulf %mn, %scale1 : !v
      %qms2 = tile.broadcast %qms axis 1 : !v -> !s
      %qscaled = arith.mulf %qsm, %scale2 : !s
      %qx = arith.subf %qscaled, %qms2 : !s
      %qp = math.exp2 %qx : !s
      %qrs = tile.reduce "add" %qp axis 1 : !s -> !v
      %mis = arith.mulf %mi, %scale1 : !v
      %dm = arith.subf %mis, %qms : !v
      %alpha = math.exp2 %dm : !v
      %la = arith.mulf %li, %alpha : !v
      %ln = arith.addf %la, %qrs : !v
      %qph = arith.truncf %qp : !s to !h
      %o1 = warp.dot_wait 0 : %o0 : !s -> !s
      warp.consumed %rv[%last] : !rk
      %alpha2 = tile.broadcast %alpha axis 1 : !v -> !s
      %oa = arith.mulf %o1, %alpha2 : !s
      scf.yield %mn, %ln, %qph, %oa : !v, !v, !h, !s
    }
    %final = arith.subi %trips, %c1 : index
    %ve = warp.get %rv[%final] : !rk -> !sm
    %oe0 = warp.dot %ph, %ve acc(%acc : !s) : !h, !sm -> !s
    %oe = warp.dot_wait 0 : %oe0 : !s -> !s
    warp.consumed %rv[%final] : !rk
    warp.consumed %rq[%c0] : !rq
    %l2 = tile.broadcast %l axis 1 : !v -> !s
    %on = arith.divf %oe, %l2 : !s
    %oh = arith.truncf %on : !s to !h
    warp.write %oh, %out1 : !h, !sm
    warp.fence
    warp.barrier
    warp.copy_out %out1 to %O[%m0b, %c0] : !sm, !view
    warp.copy_out_wait 0
  }
  warp.return
}

