// Attention backward of heads of 128 with blocks of 128 queries, for which a group has no registers: the loop takes 64
// at a time, with what it adds to dQ for each of them.
// RUN: heddle run %s --device=sim --dims=B=1,H=1,S=200,T=136 | FileCheck %s
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// CHECK: {{^}}verified
// PLAN: retile = 64, narrow = true
tile.kernel @attention_backward(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                                %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                                %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                                %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
                                %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                                %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
                                %dQ: !tile.view<?x?x?x128xf32> {tile.name = "dQ", tile.dims = ["B", "H", "S", "D"]},
                                %dK: !tile.view<?x?x?x128xf16> {tile.name = "dK", tile.dims = ["B", "H", "T", "D"]},
                                %dV: !tile.view<?x?x?x128xf16> {tile.name = "dV", tile.dims = ["B", "H", "T", "D"]},
                                %scale: f32 {tile.name = "scale", tile.default = 0.088388346 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64},
                plan = {recompute = true}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf16>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x128xf16>
  %gn = arith.ceildivui %T, %bn : index
  tile.grid %gn, %heads, %batch
  %pn = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %n0 = arith.muli %pn, %bn : index
  %k = tile.load %K[%b, %h, %n0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %v = tile.load %V[%b, %h, %n0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroT = arith.constant dense<0.0> : tensor<128x128xf32>
  %neginf = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %log2e = arith.constant 1.44269502 : f32
  %scaleLog2 = arith.mulf %scale, %log2e : f32
  %log2es = tensor.splat %log2e : tensor<128xf32>
  %scaleS = tensor.splat %scaleLog2 : tensor<128x128xf32>
  %scaleT = tensor.splat %scale : tensor<128x128xf32>
  %scaleK = tensor.splat %scale : tensor<128x128xf32>
  // keys past the end get weight zero
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<128xi32>
  %n32 = arith.index_cast %n0 : index to i32
  %noff = tensor.splat %n32 : tensor<128xi32>
  %rows = tile.iota : tensor<128xi32>
  %row = arith.addi %rows, %noff : tensor<128xi32>
  %in = arith.cmpi slt, %row, %limit : tensor<128xi32>
  %dkSum, %dvSum = scf.for %i = %c0 to %S step %bm
      iter_args(%dki = %zero, %dvi = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %q = tile.load %Q[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %qt = tile.transpose %q : tensor<128x128xf16> -> tensor<128x128xf16>
    %st = tile.dot %k, %qt, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    // weights, from the forward pass's statistics
    %lse = tile.load %LSE[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<128xf32>
    %lse2 = arith.mulf %lse, %log2es : tensor<128xf32>
    %lses = tile.broadcast %lse2 axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %in2 = tile.broadcast %in axis 1 : tensor<128xi1> -> tensor<128x128xi1>
    %sm = arith.select %in2, %st, %neginf : tensor<128x128xi1>, tensor<128x128xf32>
    %scaled = arith.mulf %sm, %scaleS : tensor<128x128xf32>
    %x = arith.subf %scaled, %lses : tensor<128x128xf32>
    %p = math.exp2 %x : tensor<128x128xf32>
    %ph = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
    %do = tile.load %dO[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %dvn = tile.dot %ph, %do, %dvi : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    // gradient of the scores; the rounded weights, because 64 rows of S, dP, dK and dV leave no registers for others
    %dot = tile.transpose %do : tensor<128x128xf16> -> tensor<128x128xf16>
    %dpt = tile.dot %v, %dot, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %delta = tile.load %Delta[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<128xf32>
    %deltas = tile.broadcast %delta axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %dpd = arith.subf %dpt, %deltas : tensor<128x128xf32>
    %pr = arith.extf %ph : tensor<128x128xf16> to tensor<128x128xf32>
    %dst = arith.mulf %pr, %dpd : tensor<128x128xf32>
    %dsth = arith.truncf %dst : tensor<128x128xf32> to tensor<128x128xf16>
    %dkn = tile.dot %dsth, %q, %dki : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    // this block of keys' part of dQ, transposed
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %dqt = tile.dot %kt, %dsth, %zeroT : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %dqts = arith.mulf %dqt, %scaleT : tensor<128x128xf32>
    %dq = tile.transpose %dqts : tensor<128x128xf32> -> tensor<128x128xf32>
    tile.store %dq, %dQ[%b, %h, %i, %c0] {kind = "add"} : tensor<128x128xf32>, !tile.view<?x?x?x128xf32>
    scf.yield %dkn, %dvn : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %dks = arith.mulf %dkSum, %scaleK : tensor<128x128xf32>
  %dkh = arith.truncf %dks : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dkh, %dK[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  %dvh = arith.truncf %dvSum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dvh, %dV[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  tile.return
}
