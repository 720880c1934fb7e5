// Flash-attention forward with a causal mask, head dimension 64 (see 08_attention_causal). scale as there.
tile.kernel @attention_causal_d64(%Q: !tile.view<?x?x?x64xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                                  %K: !tile.view<?x?x?x64xf16> {tile.name = "K", tile.dims = ["B", "H", "S", "D"]},
                                  %V: !tile.view<?x?x?x64xf16> {tile.name = "V", tile.dims = ["B", "H", "S", "D"]},
                                  %O: !tile.view<?x?x?x64xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                                  %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                                  %scale: f32 {tile.name = "scale_log2", tile.default = 0.18033688 : f32})
    attributes {tile.default_dims = {B = 1, H = 2, S = 256}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 192 in [64, 128, 192]
  %bn = tile.param "BN" = 128 in [64, 80, 96, 112, 128, 144, 160, 176]
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x64xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x64xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x64xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%b, %h, %m0, %c0] {tile.sizes = ["BM", 64]} : !tile.view<?x?x?x64xf16> -> tensor<192x64xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<192xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<192x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<192xf32>
  %zeroS = arith.constant dense<0.0> : tensor<192x128xf32>
  %zeroO = arith.constant dense<0.0> : tensor<192x64xf32>
  %scale1 = tensor.splat %scale : tensor<192xf32>
  %scale2 = tensor.splat %scale : tensor<192x128xf32>
  %rows = tile.iota : tensor<192xi32>
  %cols = tile.iota : tensor<128xi32>
  // keys after the last query of this block are never seen
  %diagonal = arith.addi %m0, %bm : index
  %end = arith.minui %diagonal, %S : index
  %m32 = arith.index_cast %m0 : index to i32
  %moff = tensor.splat %m32 : tensor<192xi32>
  %row = arith.addi %rows, %moff : tensor<192xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<192xi32> -> tensor<192x128xi32>
  %m, %l, %acc = scf.for %j = %c0 to %end step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] {tile.sizes = ["BN", 64]} : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    %kt = tile.transpose %k : tensor<128x64xf16> -> tensor<64x128xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<192x64xf16>, tensor<64x128xf16>, tensor<192x128xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<128xi32>
    %col = arith.addi %cols, %joff : tensor<128xi32>
    // a query sees the keys up to its own position
    %col2 = tile.broadcast %col axis 0 : tensor<128xi32> -> tensor<192x128xi32>
    %in2 = arith.cmpi sle, %col2, %row2 : tensor<192x128xi32>
    %sm = arith.select %in2, %s, %neginf2 : tensor<192x128xi1>, tensor<192x128xf32>
    // online softmax
    %rm = tile.reduce "max" %sm axis 1 : tensor<192x128xf32> -> tensor<192xf32>
    %mn = arith.maximumf %mi, %rm : tensor<192xf32>
    %ms = arith.mulf %mn, %scale1 : tensor<192xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<192xf32> -> tensor<192x128xf32>
    %scaled = arith.mulf %sm, %scale2 : tensor<192x128xf32>
    %x = arith.subf %scaled, %ms2 : tensor<192x128xf32>
    %p = math.exp2 %x : tensor<192x128xf32>
    %mis = arith.mulf %mi, %scale1 : tensor<192xf32>
    %dm = arith.subf %mis, %ms : tensor<192xf32>
    %alpha = math.exp2 %dm : tensor<192xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<192x128xf32> -> tensor<192xf32>
    %la = arith.mulf %li, %alpha : tensor<192xf32>
    %ln = arith.addf %la, %rs : tensor<192xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<192xf32> -> tensor<192x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<192x64xf32>
    %ph = arith.truncf %p : tensor<192x128xf32> to tensor<192x128xf16>
    %v = tile.load %V[%b, %h, %j, %c0] {tile.sizes = ["BN", 64]} : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<192x128xf16>, tensor<128x64xf16>, tensor<192x64xf32>
    scf.yield %mn, %ln, %on : tensor<192xf32>, tensor<192xf32>, tensor<192x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<192xf32> -> tensor<192x64xf32>
  %o = arith.divf %acc, %l2 : tensor<192x64xf32>
  %oh = arith.truncf %o : tensor<192x64xf32> to tensor<192x64xf16>
  tile.store %oh, %O[%b, %h, %m0, %c0] : tensor<192x64xf16>, !tile.view<?x?x?x64xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<192xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<192xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<192xf32>
  %logl = math.log %l : tensor<192xf32>
  %lse = arith.addf %mnat, %logl : tensor<192xf32>
  tile.store %lse, %LSE[%b, %h, %m0] : tensor<192xf32>, !tile.view<?x?x?xf32>
  tile.return
}
