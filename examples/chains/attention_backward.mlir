// Attention backward as users call it, full, head dimension 128, fp16: from what the forward pass got and gave (Q, K,
// V, O and LSE) and the gradient dO of its result to dQ, dK and dV. Three kernels run one after the other: statistics
// of rows, the gradients, which add their parts of dQ in fp32, and the scale and rounding of dQ.
tile.chain @attention_backward(
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
  %LSE2 = tile.workspace "LSE2" [%B, %H, %S] : !tile.view<?x?x?xf32>
  %Delta = tile.workspace "Delta" [%B, %H, %S] : !tile.view<?x?x?xf32>
  %sums = tile.workspace "sums" zeroed [%B, %H, %S] : !tile.view<?x?x?x128xf32>
  tile.launch @statistics(%O, %dO, %LSE, %LSE2, %Delta)
      : !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?xf32>, !tile.view<?x?x?xf32>,
        !tile.view<?x?x?xf32>
  tile.launch @gradients(%Q, %K, %V, %dO, %LSE2, %Delta, %sums, %dK, %dV, %scale)
      : !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>,
        !tile.view<?x?x?xf32>, !tile.view<?x?x?xf32>, !tile.view<?x?x?x128xf32>, !tile.view<?x?x?x128xf16>,
        !tile.view<?x?x?x128xf16>, f32
  tile.launch @finish_dq(%sums, %dQ, %scale) : !tile.view<?x?x?x128xf32>, !tile.view<?x?x?x128xf16>, f32
  tile.return
}

// Of each row: Delta, the sum of dO * O, which is the part of the scores' gradient that is the same for the whole row,
// and LSE2, its logarithm to base 2 of the sum of exponentials, so that nobody else multiplies.
tile.kernel @statistics(
    %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
    %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %LSE2: !tile.view<?x?x?xf32> {tile.name = "LSE2", tile.dims = ["B", "H", "S"]},
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
  %log2e = arith.constant dense<1.44269502> : tensor<64xf32>
  %lse = tile.load %LSE[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
  %lse2 = arith.mulf %lse, %log2e : tensor<64xf32>
  tile.store %lse2, %LSE2[%b, %h, %i] : tensor<64xf32>, !tile.view<?x?x?xf32>
  tile.return
}

// Flash-attention backward, full, head dimension 128, fp16: one pass over blocks of 64 queries for a block of 128 keys.
// dK and dV are this program's; dQ / scale gets a part from every program. Rows of the scores are keys, so that P^T and
// dS^T are left operands as they are. The part of dQ is computed transposed: its 128 rows are those of K^T, which two
// warp groups divide. Iterations do not overlap: S, dP, dK and dV take so many registers that nothing of the next one
// has any, and the two products that begin an iteration fill the time of the exponentials. A warp of its own copies
// each group's part of dQ, and dS goes to shared memory in matrices of 8 x 8: docs/Findings.md, "What the backward pass
// waits for".
tile.kernel @gradients(
    %Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE2: !tile.view<?x?x?xf32> {tile.name = "LSE2", tile.dims = ["B", "H", "S"]},
    %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
    %dQ: !tile.view<?x?x?x128xf32> {tile.name = "dQ", tile.dims = ["B", "H", "S", "D"]},
    %dK: !tile.view<?x?x?x128xf16> {tile.name = "dK", tile.dims = ["B", "H", "T", "D"]},
    %dV: !tile.view<?x?x?x128xf16> {tile.name = "dV", tile.dims = ["B", "H", "T", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.088388346 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64},
                plan = {overlap = false, store_warp = true, matrix_stores = true}} {
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
    // scores, and the gradient of the weights
    %q = tile.load %Q[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %qt = tile.transpose %q : tensor<64x128xf16> -> tensor<128x64xf16>
    %st = tile.dot %k, %qt, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %do = tile.load %dO[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %dot = tile.transpose %do : tensor<64x128xf16> -> tensor<128x64xf16>
    %dpt = tile.dot %v, %dot, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    // weights, from the forward pass's statistics
    %lse = tile.load %LSE2[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %lses = tile.broadcast %lse axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %in2 = tile.broadcast %in axis 1 : tensor<128xi1> -> tensor<128x64xi1>
    %sm = arith.select %in2, %st, %neginf : tensor<128x64xi1>, tensor<128x64xf32>
    %scaled = arith.mulf %sm, %scaleS : tensor<128x64xf32>
    %x = arith.subf %scaled, %lses : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    // gradient of the scores
    %delta = tile.load %Delta[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %deltas = tile.broadcast %delta axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %dpd = arith.subf %dpt, %deltas : tensor<128x64xf32>
    %dst = arith.mulf %p, %dpd : tensor<128x64xf32>
    %dsth = arith.truncf %dst : tensor<128x64xf32> to tensor<128x64xf16>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %dvn = tile.dot %ph, %do, %dvi : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    // this block of keys' part of dQ / scale, before dK: it is stored while the product for dK runs
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %dqt = tile.dot %kt, %dsth, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %dkn = tile.dot %dsth, %q, %dki : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %dq = tile.transpose %dqt : tensor<128x64xf32> -> tensor<64x128xf32>
    tile.store %dq, %dQ[%b, %h, %i, %c0] {kind = "add"} : tensor<64x128xf32>, !tile.view<?x?x?x128xf32>
    scf.yield %dkn, %dvn : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %dks = arith.mulf %dkSum, %scaleK : tensor<128x128xf32>
  %dkh = arith.truncf %dks : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dkh, %dK[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  %dvh = arith.truncf %dvSum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dvh, %dV[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  tile.return
}

// The sums of all programs, times the scale, rounded once.
tile.kernel @finish_dq(
    %sums: !tile.view<?x?x?x128xf32> {tile.name = "sums", tile.dims = ["B", "H", "S", "D"]},
    %dQ: !tile.view<?x?x?x128xf16> {tile.name = "dQ", tile.dims = ["B", "H", "S", "D"]},
    %scale: f32 {tile.name = "scale"}) {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %batch = tile.dim %dQ, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %dQ, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %dQ, 2 : !tile.view<?x?x?x128xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %i = arith.muli %pm, %bm : index
  %t = tile.load %sums[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf32> -> tensor<64x128xf32>
  %scales = tensor.splat %scale : tensor<64x128xf32>
  %scaled = arith.mulf %t, %scales : tensor<64x128xf32>
  %rounded = arith.truncf %scaled : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store %rounded, %dQ[%b, %h, %i, %c0] : tensor<64x128xf16>, !tile.view<?x?x?x128xf16>
  tile.return
}
