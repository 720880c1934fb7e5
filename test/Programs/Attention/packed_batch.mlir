// Causal attention over sequences of different lengths, packed one after the other: where each starts stands in memory.
// Heads of queries share heads of keys and values. Blocks end with their sequence: the next one's rows are not stored.
// RUN: heddle run %s --device=sim --input "start=arange(0,100)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --input "start=arange(0,100)" | FileCheck %s
// CHECK: {{^}}verified
// RUN: for L in 1 17 127 129; do heddle run %s --device=emulate --interleavings=1 --input "start=arange(0,$L)" --dims B1=3,N=$((2 * L)) || exit 1; done | FileCheck %s --check-prefix=ALL
// ALL-COUNT-4: {{^}}verified
tile.kernel @attention_packed_batch(%Q: !tile.view<?x?x64xf16> {tile.name = "Q", tile.dims = ["N", "H", "D"]},
                                    %K: !tile.view<?x?x64xf16> {tile.name = "K", tile.dims = ["N", "HK", "D"]},
                                    %V: !tile.view<?x?x64xf16> {tile.name = "V", tile.dims = ["N", "HK", "D"]},
                                    %start: !tile.view<?xi32> {tile.name = "start", tile.dims = ["B1"]},
                                    %O: !tile.view<?x?x64xf16> {tile.name = "O", tile.dims = ["N", "H", "D"]},
                                    %LSE: !tile.view<?x?xf32> {tile.name = "LSE", tile.dims = ["H", "N"]},
                                    %longest: index {tile.name = "longest", tile.default = 160 : index},
                                    %scale: f32 {tile.name = "scale_log2", tile.default = 0.18033688 : f32})
    attributes {tile.default_dims = {B1 = 4, H = 4, HK = 2, N = 300}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %heads = tile.dim %Q, 1 : !tile.view<?x?x64xf16>
  %kvHeads = tile.dim %K, 1 : !tile.view<?x?x64xf16>
  %D = tile.dim %O, 2 : !tile.view<?x?x64xf16>
  %ends = tile.dim %start, 0 : !tile.view<?xi32>
  %batch = arith.subi %ends, %c1 : index
  %gm = arith.ceildivui %longest, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %shared = arith.divui %heads, %kvHeads : index
  %hk = arith.divui %h, %shared : index
  // rows of this sequence: from its start to that of the next
  %from32 = tile.element %start[%b] : !tile.view<?xi32> -> i32
  %from = arith.index_cast %from32 : i32 to index
  %b1 = arith.addi %b, %c1 : index
  %to32 = tile.element %start[%b1] : !tile.view<?xi32> -> i32
  %to = arith.index_cast %to32 : i32 to index
  %m0 = arith.muli %pm, %bm : index
  %first = arith.addi %from, %m0 : index
  %last = arith.addi %first, %bm : index
  // keys up to the last query of this block; none where the sequence has ended before it
  %seen = arith.minui %last, %to : index
  %inside = arith.cmpi ult, %first, %to : index
  %end = arith.select %inside, %seen, %from : index
  %keys = arith.subi %end, %from : index
  %q = tile.load %Q[%first, %h, %c0] {dims = array<i64: 0, 2>} : !tile.view<?x?x64xf16> -> tensor<128x64xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<128x64xf32>
  %scale1 = tensor.splat %scale : tensor<128xf32>
  %scale2 = tensor.splat %scale : tensor<128x64xf32>
  %cols = tile.iota : tensor<64xi32>
  %rows = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %moff = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %rows, %moff : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %m, %l, %acc = scf.for %j = %c0 to %keys step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zero2) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %at = arith.addi %from, %j : index
    %k = tile.load %K[%at, %hk, %c0] {dims = array<i64: 0, 2>} : !tile.view<?x?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero2 : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    // a query sees the keys of its sequence up to its own position
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %in2 = arith.cmpi sle, %col2, %row2 : tensor<128x64xi32>
    %sm = arith.select %in2, %s, %neginf2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %ms = arith.mulf %mn, %scale1 : tensor<128xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %scaled = arith.mulf %sm, %scale2 : tensor<128x64xf32>
    %x = arith.subf %scaled, %ms2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %mis = arith.mulf %mi, %scale1 : tensor<128xf32>
    %dm = arith.subf %mis, %ms : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%at, %hk, %c0] {dims = array<i64: 0, 2>} : !tile.view<?x?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  // rows of the next sequence are not stored
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  %oh = arith.truncf %o : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %oh, %O[%first, %h, %c0] below [%to, %D] {dims = array<i64: 0, 2>}
      : tensor<128x64xf16>, !tile.view<?x?x64xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<128xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<128xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<128xf32>
  %logl = math.log %l : tensor<128xf32>
  %lse = arith.addf %mnat, %logl : tensor<128xf32>
  tile.store %lse, %LSE[%h, %first] below [%to] : tensor<128xf32>, !tile.view<?x?xf32>
  tile.return
}
