// Flash-attention backward for scheduling studies: blocks of 128 queries in two sub-tiles of 64, for one block of 128
// keys, dimension 128, fp16. Tensors are (batch, head, position, dim); dQ is accumulated transposed (dim, position),
// so that its dots have 128 rows: dQ^T = K^T dS^T. The length divides 128, so nothing is masked.
tile.kernel @attention_backward(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %dO: !tile.view<?x?x?x128xf16> {tile.name = "dO", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %Delta: !tile.view<?x?x?xf32> {tile.name = "Delta", tile.dims = ["B", "H", "S"]},
    %dQ: !tile.view<?x?x128x?xf32> {tile.name = "dQ", tile.dims = ["B", "H", "D", "S"]},
    %dK: !tile.view<?x?x?x128xf16> {tile.name = "dK", tile.dims = ["B", "H", "T", "D"]},
    %dV: !tile.view<?x?x?x128xf16> {tile.name = "dV", tile.dims = ["B", "H", "T", "D"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.088388346 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 256 : i64, T = 256 : i64}} {
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
  %zeroS = arith.constant dense<0.0> : tensor<128x64xf32>
  %log2e = arith.constant 1.44269502 : f32
  %scaleLog2 = arith.mulf %scale, %log2e : f32
  %log2es = tensor.splat %log2e : tensor<64xf32>
  %scaleS = tensor.splat %scaleLog2 : tensor<128x64xf32>
  %scaleQ = tensor.splat %scale : tensor<128x64xf32>
  %scaleK = tensor.splat %scale : tensor<128x128xf32>
  %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
  %dkSum, %dvSum = scf.for %i = %c0 to %S step %bm
      iter_args(%dki = %zero, %dvi = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %q0 = tile.load %Q[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %qt0 = tile.transpose %q0 : tensor<64x128xf16> -> tensor<128x64xf16>
    %st0 = tile.dot %k, %qt0, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %lse0 = tile.load %LSE[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %lsel0 = arith.mulf %lse0, %log2es : tensor<64xf32>
    %lses0 = tile.broadcast %lsel0 axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %scaled0 = arith.mulf %st0, %scaleS : tensor<128x64xf32>
    %x0 = arith.subf %scaled0, %lses0 : tensor<128x64xf32>
    %p0 = math.exp2 %x0 : tensor<128x64xf32>
    %ph0 = arith.truncf %p0 : tensor<128x64xf32> to tensor<128x64xf16>
    %do0 = tile.load %dO[%b, %h, %i, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %dvn0 = tile.dot %ph0, %do0, %dvi : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %dot0 = tile.transpose %do0 : tensor<64x128xf16> -> tensor<128x64xf16>
    %dpt0 = tile.dot %v, %dot0, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %delta0 = tile.load %Delta[%b, %h, %i] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %deltas0 = tile.broadcast %delta0 axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %dpd0 = arith.subf %dpt0, %deltas0 : tensor<128x64xf32>
    %dst0 = arith.mulf %p0, %dpd0 : tensor<128x64xf32>
    %dsth0 = arith.truncf %dst0 : tensor<128x64xf32> to tensor<128x64xf16>
    %dkn0 = tile.dot %dsth0, %q0, %dki : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %dqt0 = tile.dot %kt, %dsth0, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %dqs0 = arith.mulf %dqt0, %scaleQ : tensor<128x64xf32>
    tile.store %dqs0, %dQ[%b, %h, %c0, %i] {kind = "add"} : tensor<128x64xf32>, !tile.view<?x?x128x?xf32>
    %o1 = arith.constant 64 : index
    %i1 = arith.addi %i, %o1 : index
    %q1 = tile.load %Q[%b, %h, %i1, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %qt1 = tile.transpose %q1 : tensor<64x128xf16> -> tensor<128x64xf16>
    %st1 = tile.dot %k, %qt1, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %lse1 = tile.load %LSE[%b, %h, %i1] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %lsel1 = arith.mulf %lse1, %log2es : tensor<64xf32>
    %lses1 = tile.broadcast %lsel1 axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %scaled1 = arith.mulf %st1, %scaleS : tensor<128x64xf32>
    %x1 = arith.subf %scaled1, %lses1 : tensor<128x64xf32>
    %p1 = math.exp2 %x1 : tensor<128x64xf32>
    %ph1 = arith.truncf %p1 : tensor<128x64xf32> to tensor<128x64xf16>
    %do1 = tile.load %dO[%b, %h, %i1, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %dvn1 = tile.dot %ph1, %do1, %dvn0 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %dot1 = tile.transpose %do1 : tensor<64x128xf16> -> tensor<128x64xf16>
    %dpt1 = tile.dot %v, %dot1, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %delta1 = tile.load %Delta[%b, %h, %i1] : !tile.view<?x?x?xf32> -> tensor<64xf32>
    %deltas1 = tile.broadcast %delta1 axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %dpd1 = arith.subf %dpt1, %deltas1 : tensor<128x64xf32>
    %dst1 = arith.mulf %p1, %dpd1 : tensor<128x64xf32>
    %dsth1 = arith.truncf %dst1 : tensor<128x64xf32> to tensor<128x64xf16>
    %dkn1 = tile.dot %dsth1, %q1, %dkn0 : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %dqt1 = tile.dot %kt, %dsth1, %zeroS : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %dqs1 = arith.mulf %dqt1, %scaleQ : tensor<128x64xf32>
    tile.store %dqs1, %dQ[%b, %h, %c0, %i1] {kind = "add"} : tensor<128x64xf32>, !tile.view<?x?x128x?xf32>
    scf.yield %dkn1, %dvn1 : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %dks = arith.mulf %dkSum, %scaleK : tensor<128x128xf32>
  %dkh = arith.truncf %dks : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dkh, %dK[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  %dvh = arith.truncf %dvSum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %dvh, %dV[%b, %h, %n0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  tile.return
}
