// Attention backward whose result does not depend on the order of programs, full, head dimension 128, fp16: nothing is
// added in memory. One kernel walks over queries for each block of keys (dK, dV), another over keys for each block of
// queries (dQ), so that scores and their gradient are computed twice: seven products instead of five.
tile.chain @attention_backward_deterministic(
    %Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
    %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %dQ: !tile.view<?x?x?x128xf16> {tile.name = "dQ", tile.dims = ["B", "H", "S", "D"]},
    %dK: !tile.view<?x?x?x128xf16> {tile.name = "dK", tile.dims = ["B", "H", "T", "D"]},
    %dV: !tile.view<?x?x?x128xf16> {tile.name = "dV", tile.dims = ["B", "H", "T", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.088388346 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64}} {
  %B = tile.dim %Q, 0 : !tile.view<?x?x?x128xf16>
  %H = tile.dim %Q, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf16>
  %Delta = tile.workspace "Delta" [%B, %H, %S] : !tile.view<?x?x?xf32>
  tile.launch @row_sums(%O, %dO, %Delta) : !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?xf32>
  tile.launch @gradients_of_keys(%Q, %K, %V, %dO, %LSE, %Delta, %dK, %dV, %scale)
      : !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>,
        !tile.view<?x?x?xf32>, !tile.view<?x?x?xf32>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, f32
  tile.launch @gradients_of_queries(%Q, %K, %V, %dO, %LSE, %Delta, %dQ, %scale)
      : !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>,
        !tile.view<?x?x?xf32>, !tile.view<?x?x?xf32>, !tile.view<?x?x?x128xf16>, f32
  tile.return
}

// Row sums of dO * O: the part of the scores' gradient that is the same for a whole row.
tile.kernel @row_sums(%O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                      %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
                      %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]}) {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %batch = tile.dim %O, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %O, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %O, 2 : !tile.view<?x?x?x128xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %i = arith.muli %pm, %bm : index
  %o = tile.load %O[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
  %do = tile.load %dO[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
  %of = arith.extf %o : tensor<64x128xf16> to tensor<64x128xf32>
  %dof = arith.extf %do : tensor<64x128xf16> to tensor<64x128xf32>
  %products = arith.mulf %of, %dof : tensor<64x128xf32>
  %sums = tile.reduce "add" %products axis 1 : tensor<64x128xf32> -> tensor<64xf32>
  tile.store %sums, %Delta[%b, %h, %i] : tensor<64xf32>, !tile.view<?x?x?xf32>
  tile.return
}

// dK and dV: one pass over blocks of 64 queries for a block of 128 keys. Rows of the scores are keys, so that P^T and
// dS^T are left operands as they are.
tile.kernel @gradients_of_keys(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                               %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                               %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                               %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
                               %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                               %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
                               %dK: !tile.view<?x?x?x128xf16> {tile.name = "dK", tile.dims = ["B", "H", "T", "D"]},
                               %dV: !tile.view<?x?x?x128xf16> {tile.name = "dV", tile.dims = ["B", "H", "T", "D"]},
                               %scale: f32 {tile.name = "scale", tile.default = 0.088388346 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
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
  %zeroS = arith.constant dense<0.0> : tensor<128x64xf32>
  %neginf = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %log2e = arith.constant 1.44269502 : f32
  %scaleLog2 = arith.mulf %scale, %log2e : f32
  %log2es = tensor.splat %log2e : tensor<64xf32>
  %scaleS = tensor.splat %scaleLog2 : tensor<128x64xf32>
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
    %q = tile.load %Q[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %qt = tile.transpose %q : tensor<64x128xf16> -> tensor<128x64xf16>
    %st = tile.dot %k, %qt, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    // weights, from the forward pass's statistics
    %lse = tile.load %LSE[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %lse2 = arith.mulf %lse, %log2es : tensor<64xf32>
    %lses = tile.broadcast %lse2 axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %in2 = tile.broadcast %in axis 1 : tensor<128xi1> -> tensor<128x64xi1>
    %sm = arith.select %in2, %st, %neginf : tensor<128x64xi1>, tensor<128x64xf32>
    %scaled = arith.mulf %sm, %scaleS : tensor<128x64xf32>
    %x = arith.subf %scaled, %lses : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %do = tile.load %dO[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %dvn = tile.dot %ph, %do, %dvi : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    // gradient of the scores; the rounded weights, because 64 rows of S, dP, dK and dV leave no registers for others
    %dot = tile.transpose %do : tensor<64x128xf16> -> tensor<128x64xf16>
    %dpt = tile.dot %v, %dot, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %delta = tile.load %Delta[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %deltas = tile.broadcast %delta axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %dpd = arith.subf %dpt, %deltas : tensor<128x64xf32>
    %pr = arith.extf %ph : tensor<128x64xf16> to tensor<128x64xf32>
    %dst = arith.mulf %pr, %dpd : tensor<128x64xf32>
    %dsth = arith.truncf %dst : tensor<128x64xf32> to tensor<128x64xf16>
    %dkn = tile.dot %dsth, %q, %dki : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %dkn, %dvn : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %dks = arith.mulf %dkSum, %scaleK : tensor<128x128xf32>
  %dkh = arith.truncf %dks : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dkh, %dK[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  %dvh = arith.truncf %dvSum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dvh, %dV[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  tile.return
}

// dQ: one pass over blocks of 64 keys for a block of 128 queries.
tile.kernel @gradients_of_queries(
    %Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
    %dQ: !tile.view<?x?x?x128xf16> {tile.name = "dQ", tile.dims = ["B", "H", "S", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.088388346 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf16>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x128xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %do = tile.load %dO[%b, %h, %m0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %lse = tile.load %LSE[%b, %h, %m0] : !tile.view<?x?x?xf32> -> tensor<128xf32>
  %delta = tile.load %Delta[%b, %h, %m0] : !tile.view<?x?x?xf32> -> tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x64xf32>
  %neginf = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %log2e = arith.constant 1.44269502 : f32
  %scaleLog2 = arith.mulf %scale, %log2e : f32
  %log2es = tensor.splat %log2e : tensor<128xf32>
  %scaleS = tensor.splat %scaleLog2 : tensor<128x64xf32>
  %scaleQ = tensor.splat %scale : tensor<128x128xf32>
  %lse2 = arith.mulf %lse, %log2es : tensor<128xf32>
  // keys past the end get weight zero
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<64xi32>
  %cols = tile.iota : tensor<64xi32>
  %dqSum = scf.for %j = %c0 to %T step %bn iter_args(%dqi = %zero) -> (tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %kt = tile.transpose %k : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    // weights, from the forward pass's statistics
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %in = arith.cmpi slt, %col, %limit : tensor<64xi32>
    %in2 = tile.broadcast %in axis 0 : tensor<64xi1> -> tensor<128x64xi1>
    %sm = arith.select %in2, %s, %neginf : tensor<128x64xi1>, tensor<128x64xf32>
    %scaled = arith.mulf %sm, %scaleS : tensor<128x64xf32>
    %lses = tile.broadcast %lse2 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %scaled, %lses : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    // gradient of the scores
    %v = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %vt = tile.transpose %v : tensor<64x128xf16> -> tensor<128x64xf16>
    %dp = tile.dot %do, %vt, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %deltas = tile.broadcast %delta axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %dpd = arith.subf %dp, %deltas : tensor<128x64xf32>
    %ds = arith.mulf %p, %dpd : tensor<128x64xf32>
    %dsh = arith.truncf %ds : tensor<128x64xf32> to tensor<128x64xf16>
    %dqn = tile.dot %dsh, %k, %dqi : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %dqn : tensor<128x128xf32>
  }
  %dqs = arith.mulf %dqSum, %scaleQ : tensor<128x128xf32>
  %dqh = arith.truncf %dqs : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dqh, %dQ[%b, %h, %m0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  tile.return
}
