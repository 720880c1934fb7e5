// Attention of 8-bit floats as users call it, full, head dimension 128: queries, keys and values lie row by row, each
// head has a factor for its scores (of its queries and keys, the scale of the softmax and log2(e)) and one for its
// values. 8-bit products want rows of V that run along the keys: a first kernel transposes it.
// Random factors make sums so large or so near zero that nothing is proved of some of them. To check the program:
//   heddle run FILE --device=sim --input "V=uniform(0.5,1.5)" --input "scores=const(0.1)" --input values=ones
tile.chain @attention_fp8(
    %Q: !tile.view<?x?x?x128xf8E4M3FN> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xf8E4M3FN> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xf8E4M3FN> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %O: !tile.view<?x?x?x128xbf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %scores: !tile.view<?x?xf32> {tile.name = "scores", tile.dims = ["B", "H"]},
    %values: !tile.view<?x?xf32> {tile.name = "values", tile.dims = ["B", "H"]})
    attributes {tile.default_dims = {B = 1, H = 2, S = 129, T = 200}} {
  %B = tile.dim %V, 0 : !tile.view<?x?x?x128xf8E4M3FN>
  %H = tile.dim %V, 1 : !tile.view<?x?x?x128xf8E4M3FN>
  %T = tile.dim %V, 2 : !tile.view<?x?x?x128xf8E4M3FN>
  %Vt = tile.workspace "Vt" [%B, %H, %T] : !tile.view<?x?x128x?xf8E4M3FN>
  tile.launch @transpose_values(%V, %Vt) : !tile.view<?x?x?x128xf8E4M3FN>, !tile.view<?x?x128x?xf8E4M3FN>
  tile.launch @attend(%Q, %K, %Vt, %O, %LSE, %scores, %values)
      : !tile.view<?x?x?x128xf8E4M3FN>, !tile.view<?x?x?x128xf8E4M3FN>, !tile.view<?x?x128x?xf8E4M3FN>,
        !tile.view<?x?x?x128xbf16>, !tile.view<?x?x?xf32>, !tile.view<?x?xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @transpose_values(%V: !tile.view<?x?x?x128xf8E4M3FN> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                              %Vt: !tile.view<?x?x128x?xf8E4M3FN> {tile.name = "Vt", tile.dims = ["B", "H", "D", "T"]})
    attributes {tile.default_dims = {B = 1, H = 2, T = 208}} {
  %c0 = arith.constant 0 : index
  %bn = arith.constant 128 : index
  %batch = tile.dim %V, 0 : !tile.view<?x?x?x128xf8E4M3FN>
  %heads = tile.dim %V, 1 : !tile.view<?x?x?x128xf8E4M3FN>
  %T = tile.dim %V, 2 : !tile.view<?x?x?x128xf8E4M3FN>
  %blocks = arith.ceildivui %T, %bn : index
  tile.grid %blocks, %heads, %batch
  %block = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %t0 = arith.muli %block, %bn : index
  %v = tile.load %V[%b, %h, %t0, %c0] : !tile.view<?x?x?x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
  %vt = tile.transpose %v : tensor<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
  tile.store %vt, %Vt[%b, %h, %c0, %t0] : tensor<128x128xf8E4M3FN>, !tile.view<?x?x128x?xf8E4M3FN>
  tile.return
}

tile.kernel @attend(%Q: !tile.view<?x?x?x128xf8E4M3FN> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                    %K: !tile.view<?x?x?x128xf8E4M3FN> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                    %Vt: !tile.view<?x?x128x?xf8E4M3FN> {tile.name = "Vt", tile.dims = ["B", "H", "D", "T"]},
                    %O: !tile.view<?x?x?x128xbf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                    %scores: !tile.view<?x?xf32> {tile.name = "scores", tile.dims = ["B", "H"]},
                    %values: !tile.view<?x?xf32> {tile.name = "values", tile.dims = ["B", "H"]})
    attributes {tile.default_dims = {B = 1, H = 2, S = 129, T = 208}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192]
  %bn = tile.param "BN" = 224 in [64, 96, 128, 160, 192, 224]
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xf8E4M3FN>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x128xf8E4M3FN>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf8E4M3FN>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x128xf8E4M3FN>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  // what the scores and the values of this head are multiplied by
  %scale = tile.element %scores[%b, %h] : !tile.view<?x?xf32> -> f32
  %value = tile.element %values[%b, %h] : !tile.view<?x?xf32> -> f32
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%b, %h, %m0, %c0] {tile.sizes = ["BM", 128]}
        : !tile.view<?x?x?x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x224xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x224xf32>
  %zeroO = arith.constant dense<0.0> : tensor<128x128xf32>
  // weights are multiplied by 2^8: the smallest ones are then no zeros among 8-bit floats
  %eight = arith.constant dense<8.0> : tensor<128xf32>
  %scale1 = tensor.splat %scale : tensor<128xf32>
  %scale2 = tensor.splat %scale : tensor<128x224xf32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<224xi32>
  %cols = tile.iota : tensor<224xi32>
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] {tile.sizes = ["BN", 128]}
        : !tile.view<?x?x?x128xf8E4M3FN> -> tensor<224x128xf8E4M3FN>
    %kt = tile.transpose %k : tensor<224x128xf8E4M3FN> -> tensor<128x224xf8E4M3FN>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf8E4M3FN>, tensor<128x224xf8E4M3FN>, tensor<128x224xf32>
    // keys past the end get weight zero
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<224xi32>
    %col = arith.addi %cols, %joff : tensor<224xi32>
    %in = arith.cmpi slt, %col, %limit : tensor<224xi32>
    %in2 = tile.broadcast %in axis 0 : tensor<224xi1> -> tensor<128x224xi1>
    %sm = arith.select %in2, %s, %neginf2 : tensor<128x224xi1>, tensor<128x224xf32>
    // online softmax
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x224xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mss = arith.mulf %mn, %scale1 : tensor<128xf32>
    %ms = arith.subf %mss, %eight : tensor<128xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<128xf32> -> tensor<128x224xf32>
    %scaled = arith.mulf %sm, %scale2 : tensor<128x224xf32>
    %x = arith.subf %scaled, %ms2 : tensor<128x224xf32>
    %p = math.exp2 %x : tensor<128x224xf32>
    %mis = arith.mulf %mi, %scale1 : tensor<128xf32>
    %dm = arith.subf %mis, %mss : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x224xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x128xf32>
    %ph = arith.truncf %p : tensor<128x224xf32> to tensor<128x224xf8E4M3FN>
    %vt = tile.load %Vt[%b, %h, %c0, %j] {tile.sizes = [128, "BN"]}
        : !tile.view<?x?x128x?xf8E4M3FN> -> tensor<128x224xf8E4M3FN>
    %v = tile.transpose %vt : tensor<128x224xf8E4M3FN> -> tensor<224x128xf8E4M3FN>
    %on = tile.dot %ph, %v, %oa : tensor<128x224xf8E4M3FN>, tensor<224x128xf8E4M3FN>, tensor<128x128xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %on = arith.divf %acc, %l2 : tensor<128x128xf32>
  %value2 = tensor.splat %value : tensor<128x128xf32>
  %o = arith.mulf %on, %value2 : tensor<128x128xf32>
  %oh = arith.truncf %o : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %oh, %O[%b, %h, %m0, %c0] : tensor<128x128xbf16>, !tile.view<?x?x?x128xbf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<128xf32>
  %munits = arith.mulf %m, %scale1 : tensor<128xf32>
  %mscaled = arith.subf %munits, %eight : tensor<128xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<128xf32>
  %logl = math.log %l : tensor<128xf32>
  %lse = arith.addf %mnat, %logl : tensor<128xf32>
  tile.store %lse, %LSE[%b, %h, %m0] : tensor<128xf32>, !tile.view<?x?x?xf32>
  tile.return
}
