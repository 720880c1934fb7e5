// Flash-attention forward with a soft-cap for scheduling studies: scores are bent to between -30 and 30 by tanh before
// the softmax; dimension 128, fp16. scale is softmax_scale * log2(e); padded keys are hidden.
tile.kernel @attention_softcap(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                               %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "S", "D"]},
                               %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "S", "D"]},
                               %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                               %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                               %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 1, H = 2, S = 256}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroO = arith.constant dense<0.0> : tensor<128x128xf32>
  %cols = tile.iota : tensor<128xi32>
  %S32 = arith.index_cast %S : index to i32
  %inverse = arith.constant 0.0231049 : f32
  %bend = arith.mulf %scale, %inverse : f32
  %bend2 = tensor.splat %bend : tensor<128x128xf32>
  %cap2 = arith.constant dense<43.2808512> : tensor<128x128xf32>
  %m, %l, %acc = scf.for %j = %c0 to %S step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %bent = arith.mulf %s, %bend2 : tensor<128x128xf32>
    %tanh = math.tanh %bent fastmath<afn> : tensor<128x128xf32>
    %capped = arith.mulf %tanh, %cap2 : tensor<128x128xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<128xi32>
    %col = arith.addi %cols, %joff : tensor<128xi32>
    %size = tensor.splat %S32 : tensor<128xi32>
    %there = arith.cmpi slt, %col, %size : tensor<128xi32>
    %there2 = tile.broadcast %there axis 0 : tensor<128xi1> -> tensor<128x128xi1>
    %sm = arith.select %there2, %capped, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    // online softmax
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x128xf32>
    %p = math.exp2 %x : tensor<128x128xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x128xf32>
    %ph = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
    %v = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %o = arith.divf %acc, %l2 : tensor<128x128xf32>
  %oh = arith.truncf %o : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %oh, %O[%b, %h, %m0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<128xf32>
  %logl = math.log %l : tensor<128xf32>
  %mnat = arith.mulf %m, %ln2 : tensor<128xf32>
  %lse = arith.addf %mnat, %logl : tensor<128xf32>
  tile.store %lse, %LSE[%b, %h, %m0] : tensor<128xf32>, !tile.view<?x?x?xf32>
  tile.return
}
