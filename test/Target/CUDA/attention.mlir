// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-cuda -o /dev/null | FileCheck %s
// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-manifest -o /dev/null | FileCheck %s --check-prefix=JSON
// Attention, software-pipelined by one: S(i) is issued before O += P(i-1) V(i-1); its softmax runs under that product.
//
// One function for both groups.
// CHECK: template <int group>
// CHECK-NEXT: void compute({{.*}}float *LSE, {{.*}}) {
// CHECK: descK<128>(q + 8192 * group)
// CHECK: for (int {{.*}} = 1;
// CHECK: // S = Q K^T
// CHECK: float [[S:acc[0-9]*]][64];
// CHECK-NEXT: hd::wgmmaFence();
// CHECK: hd::wgmmaSS<128, hd::f16, hd::f16, 0, 0, 0>([[S]], {{.*}}, j > 0);
// CHECK: // O += P V
// CHECK: hd::descMN<128>({{.*}}, 128);
// CHECK-NEXT: hd::fenceOperand([[O:acc[0-9]*]]);
// CHECK-NEXT: hd::fenceOperand([[P:trunc[0-9]*]]);
// CHECK: hd::wgmmaRS<128, hd::f16, hd::f16, 1, 0>([[O]], [[P]][4 * j],
// CHECK: hd::wgmmaWait<1>();
// CHECK-NEXT: hd::fenceOperand([[S]]);
// The register operand stays untouched until the product is done.
// CHECK-NOT: [[P]][r] =
// CHECK: hd::wgmmaWait<0>();
// CHECK-NEXT: hd::fenceOperand([[O]]);
// CHECK-NEXT: hd::fenceOperand([[P]]);
// CHECK: [[P]][r] = hd::pack<hd::f16>(
// CHECK: [[O]][r] = [[O]][r] *
// One copy of 128x128 on a map whose innermost dimension is split into 2 x 64.
// CHECK: hd::tmaLoad({{.*}}, &map_K, {{.*}}, 0, {{.*}}, program1, program2, 0);
// CHECK: compute<0>(map_O, LSE,
// CHECK: compute<1>(map_O, LSE,
//
// JSON: "chunks": 64
!acc = tensor<64x128xf32>
!half = tensor<64x128xf16>
!row = tensor<64xf32>
!q = !warp.aref<1, [tensor<128x128xf16>]>
!kv = !warp.aref<2, [tensor<128x128xf16>]>
!t = !warp.smem<128x128xf16>
!tq = !warp.smem<64x128xf16>
!view = !tile.view<?x?x?x128xf16>
!lse = !tile.view<?x?x?xf32>
warp.kernel @attention(%Q: !view {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]}, %K: !view {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                       %V: !view {tile.name = "V", tile.dims = ["B", "H", "T", "D"]}, %O: !view {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                       %LSE: !lse {tile.name = "LSE", tile.dims = ["B", "H", "S"]}, %scale: f32 {tile.name = "scale"}) {
  %c128 = arith.constant 128 : index
  %B = tile.dim %Q, 0 : !view
  %H = tile.dim %Q, 1 : !view
  %S = tile.dim %Q, 2 : !view
  %gm = arith.ceildivui %S, %c128 : index
  tile.grid %gm, %H, %B
  %rq = warp.aref "q" : !q
  %rk = warp.aref "k" : !kv
  %rv = warp.aref "v" : !kv
  %o0 = warp.scratch "o0" : !tq
  %o1 = warp.scratch "o1" : !tq
  warp.group @load warps(1) regs(24) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bm = arith.constant 128 : index
    %pm = tile.program_id 0
    %h = tile.program_id 1
    %b = tile.program_id 2
    %m = arith.muli %pm, %bm : index
    %T = tile.dim %K, 2 : !view
    %n = arith.ceildivui %T, %bm : index
    warp.acquire %rq[%c0] : !q
    warp.copy %Q[%b, %h, %m, %c0] to %rq[%c0] field 0 : !view, !q
    warp.publish %rq[%c0] : !q
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.muli %i, %bm : index
      warp.acquire %rk[%i] : !kv
      warp.copy %K[%b, %h, %j, %c0] to %rk[%i] field 0 : !view, !kv
      warp.publish %rk[%i] : !kv
      warp.acquire %rv[%i] : !kv
      warp.copy %V[%b, %h, %j, %c0] to %rv[%i] field 0 : !view, !kv
      warp.publish %rv[%i] : !kv
    }
  }

  warp.group @compute0 warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bm = arith.constant 128 : index
    %off = arith.constant 0 : index
    %pm = tile.program_id 0
    %h = tile.program_id 1
    %b = tile.program_id 2
    %m0 = arith.muli %pm, %bm : index
    %mrow = arith.addi %m0, %off : index
    %T = tile.dim %K, 2 : !view
    %n = arith.ceildivui %T, %bm : index
    %neginf = arith.constant dense<0xFF800000> : !row
    %zero1 = arith.constant dense<0.0> : !row
    %zero = arith.constant dense<0.0> : !acc
    %scale1 = tensor.splat %scale : !row
    %scale2 = tensor.splat %scale : !acc
    %qt = warp.get %rq[%c0] : !q -> !t
    %q = warp.slice %qt [0, 0] : !t -> !tq
    %k0 = warp.get %rk[%c0] : !kv -> !t
    %kt0 = warp.transpose %k0 : !t -> !t
    %s0p = warp.dot %q, %kt0 : !tq, !t -> !acc
    %s0 = warp.dot_wait 0 : %s0p : !acc -> !acc
    warp.consumed %rk[%c0] : !kv
    
      %rm_0 = tile.reduce "max" %s0 axis 1 : !acc -> !row
      %mn_0 = arith.maximumf %neginf, %rm_0 : !row
      %ms_0 = arith.mulf %mn_0, %scale1 : !row
      %ms2_0 = tile.broadcast %ms_0 axis 1 : !row -> !acc
      %sc_0 = arith.mulf %s0, %scale2 : !acc
      %x_0 = arith.subf %sc_0, %ms2_0 : !acc
      %p0 = math.exp2 %x_0 : !acc
      %mis_0 = arith.mulf %neginf, %scale1 : !row
      %dm_0 = arith.subf %mis_0, %ms_0 : !row
      %alpha_0 = math.exp2 %dm_0 : !row
      %rs_0 = tile.reduce "add" %p0 axis 1 : !acc -> !row
      %la_0 = arith.mulf %zero1, %alpha_0 : !row
      %ln_0 = arith.addf %la_0, %rs_0 : !row
      %alpha2_0 = tile.broadcast %alpha_0 axis 1 : !row -> !acc

    %ph0 = arith.truncf %p0 : !acc to !half
    %mf, %lf, %of, %pf = scf.for %i = %c1 to %n step %c1
        iter_args(%mi = %mn_0, %li = %ln_0, %oi = %zero, %pi = %ph0) -> (!row, !row, !acc, !half) {
      %k = warp.get %rk[%i] : !kv -> !t
      %kt = warp.transpose %k : !t -> !t
      %sp = warp.dot %q, %kt {heddle.node = "S = Q K^T"} : !tq, !t -> !acc
      %prev = arith.subi %i, %c1 : index
      %v = warp.get %rv[%prev] : !kv -> !t
      %op = warp.dot %pi, %v acc(%oi : !acc) {heddle.node = "O += P V"} : !half, !t -> !acc
      %s = warp.dot_wait 1 : %sp : !acc -> !acc
      warp.consumed %rk[%i] : !kv
      
      %rm = tile.reduce "max" %s axis 1 : !acc -> !row
      %mn = arith.maximumf %mi, %rm : !row
      %ms = arith.mulf %mn, %scale1 : !row
      %ms2 = tile.broadcast %ms axis 1 : !row -> !acc
      %sc = arith.mulf %s, %scale2 : !acc
      %x = arith.subf %sc, %ms2 : !acc
      %p = math.exp2 %x : !acc
      %mis = arith.mulf %mi, %scale1 : !row
      %dm = arith.subf %mis, %ms : !row
      %alpha = math.exp2 %dm : !row
      %rs = tile.reduce "add" %p axis 1 : !acc -> !row
      %la = arith.mulf %li, %alpha : !row
      %ln = arith.addf %la, %rs : !row
      %alpha2 = tile.broadcast %alpha axis 1 : !row -> !acc

      %ow = warp.dot_wait 0 : %op : !acc -> !acc
      warp.consumed %rv[%prev] : !kv
      %ph = arith.truncf %p : !acc to !half
      %oa = arith.mulf %ow, %alpha2 : !acc
      scf.yield %mn, %ln, %oa, %ph : !row, !row, !acc, !half
    }
    warp.consumed %rq[%c0] : !q
    %last = arith.subi %n, %c1 : index
    %vl = warp.get %rv[%last] : !kv -> !t
    %olp = warp.dot %pf, %vl acc(%of : !acc) : !half, !t -> !acc
    %ol = warp.dot_wait 0 : %olp : !acc -> !acc
    warp.consumed %rv[%last] : !kv
    %l2 = tile.broadcast %lf axis 1 : !row -> !acc
    %od = arith.divf %ol, %l2 : !acc
    %oh = arith.truncf %od : !acc to !half
    warp.write %oh, %o0 : !half, !tq
    warp.fence
    warp.barrier
    warp.copy_out %o0 to %O[%b, %h, %mrow, %c0] : !tq, !view
    %ln2 = arith.constant dense<0.69314718> : !row
    %msc = arith.mulf %mf, %scale1 : !row
    %mnat = arith.mulf %msc, %ln2 : !row
    %logl = math.log %lf : !row
    %lsev = arith.addf %mnat, %logl : !row
    tile.store %lsev, %LSE[%b, %h, %mrow] : !row, !lse
    warp.copy_out_wait 0
  }

  warp.group @compute1 warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bm = arith.constant 128 : index
    %off = arith.constant 64 : index
    %pm = tile.program_id 0
    %h = tile.program_id 1
    %b = tile.program_id 2
    %m0 = arith.muli %pm, %bm : index
    %mrow = arith.addi %m0, %off : index
    %T = tile.dim %K, 2 : !view
    %n = arith.ceildivui %T, %bm : index
    %neginf = arith.constant dense<0xFF800000> : !row
    %zero1 = arith.constant dense<0.0> : !row
    %zero = arith.constant dense<0.0> : !acc
    %scale1 = tensor.splat %scale : !row
    %scale2 = tensor.splat %scale : !acc
    %qt = warp.get %rq[%c0] : !q -> !t
    %q = warp.slice %qt [64, 0] : !t -> !tq
    %k0 = warp.get %rk[%c0] : !kv -> !t
    %kt0 = warp.transpose %k0 : !t -> !t
    %s0p = warp.dot %q, %kt0 : !tq, !t -> !acc
    %s0 = warp.dot_wait 0 : %s0p : !acc -> !acc
    warp.consumed %rk[%c0] : !kv
    
      %rm_0 = tile.reduce "max" %s0 axis 1 : !acc -> !row
      %mn_0 = arith.maximumf %neginf, %rm_0 : !row
      %ms_0 = arith.mulf %mn_0, %scale1 : !row
      %ms2_0 = tile.broadcast %ms_0 axis 1 : !row -> !acc
      %sc_0 = arith.mulf %s0, %scale2 : !acc
      %x_0 = arith.subf %sc_0, %ms2_0 : !acc
      %p0 = math.exp2 %x_0 : !acc
      %mis_0 = arith.mulf %neginf, %scale1 : !row
      %dm_0 = arith.subf %mis_0, %ms_0 : !row
      %alpha_0 = math.exp2 %dm_0 : !row
      %rs_0 = tile.reduce "add" %p0 axis 1 : !acc -> !row
      %la_0 = arith.mulf %zero1, %alpha_0 : !row
      %ln_0 = arith.addf %la_0, %rs_0 : !row
      %alpha2_0 = tile.broadcast %alpha_0 axis 1 : !row -> !acc

    %ph0 = arith.truncf %p0 : !acc to !half
    %mf, %lf, %of, %pf = scf.for %i = %c1 to %n step %c1
        iter_args(%mi = %mn_0, %li = %ln_0, %oi = %zero, %pi = %ph0) -> (!row, !row, !acc, !half) {
      %k = warp.get %rk[%i] : !kv -> !t
      %kt = warp.transpose %k : !t -> !t
      %sp = warp.dot %q, %kt {heddle.node = "S = Q K^T"} : !tq, !t -> !acc
      %prev = arith.subi %i, %c1 : index
      %v = warp.get %rv[%prev] : !kv -> !t
      %op = warp.dot %pi, %v acc(%oi : !acc) {heddle.node = "O += P V"} : !half, !t -> !acc
      %s = warp.dot_wait 1 : %sp : !acc -> !acc
      warp.consumed %rk[%i] : !kv
      
      %rm = tile.reduce "max" %s axis 1 : !acc -> !row
      %mn = arith.maximumf %mi, %rm : !row
      %ms = arith.mulf %mn, %scale1 : !row
      %ms2 = tile.broadcast %ms axis 1 : !row -> !acc
      %sc = arith.mulf %s, %scale2 : !acc
      %x = arith.subf %sc, %ms2 : !acc
      %p = math.exp2 %x : !acc
      %mis = arith.mulf %mi, %scale1 : !row
      %dm = arith.subf %mis, %ms : !row
      %alpha = math.exp2 %dm : !row
      %rs = tile.reduce "add" %p axis 1 : !acc -> !row
      %la = arith.mulf %li, %alpha : !row
      %ln = arith.addf %la, %rs : !row
      %alpha2 = tile.broadcast %alpha axis 1 : !row -> !acc

      %ow = warp.dot_wait 0 : %op : !acc -> !acc
      warp.consumed %rv[%prev] : !kv
      %ph = arith.truncf %p : !acc to !half
      %oa = arith.mulf %ow, %alpha2 : !acc
      scf.yield %mn, %ln, %oa, %ph : !row, !row, !acc, !half
    }
    warp.consumed %rq[%c0] : !q
    %last = arith.subi %n, %c1 : index
    %vl = warp.get %rv[%last] : !kv -> !t
    %olp = warp.dot %pf, %vl acc(%of : !acc) : !half, !t -> !acc
    %ol = warp.dot_wait 0 : %olp : !acc -> !acc
    warp.consumed %rv[%last] : !kv
    %l2 = tile.broadcast %lf axis 1 : !row -> !acc
    %od = arith.divf %ol, %l2 : !acc
    %oh = arith.truncf %od : !acc to !half
    warp.write %oh, %o1 : !half, !tq
    warp.fence
    warp.barrier
    warp.copy_out %o1 to %O[%b, %h, %mrow, %c0] : !tq, !view
    %ln2 = arith.constant dense<0.69314718> : !row
    %msc = arith.mulf %mf, %scale1 : !row
    %mnat = arith.mulf %msc, %ln2 : !row
    %logl = math.log %lf : !row
    %lsev = arith.addf %mnat, %logl : !row
    tile.store %lsev, %LSE[%b, %h, %mrow] : !row, !lse
    warp.copy_out_wait 0
  }
  warp.return
}
