// Flash-attention forward with a window for scheduling studies: a query sees the 100 keys up to its own position, so
// that the loop begins and ends where the window does; dimension 128, fp16. scale is softmax_scale * log2(e).
tile.kernel @attention_window(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
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
  %scale2 = tensor.splat %scale : tensor<128x128xf32>
  %rows = tile.iota : tensor<128xi32>
  %cols = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %moff = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %rows, %moff : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %width = arith.constant dense<100> : tensor<128x128xi32>
  %before = arith.constant 99 : index
  %later = arith.maxui %m0, %before : index
  %from = arith.subi %later, %before : index
  %block = arith.divui %from, %bn : index
  %begin = arith.muli %block, %bn : index
  %diagonal = arith.addi %m0, %bm : index
  %end = arith.minui %diagonal, %S : index
  %m, %l, %acc = scf.for %j = %begin to %end step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<128xi32>
    %col = arith.addi %cols, %joff : tensor<128xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<128xi32> -> tensor<128x128xi32>
    %scaled = arith.mulf %s, %scale2 : tensor<128x128xf32>
    %past = arith.cmpi sle, %col2, %row2 : tensor<128x128xi32>
    %causal = arith.select %past, %scaled, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    %first2 = arith.subi %row2, %width : tensor<128x128xi32>
    %near = arith.cmpi sgt, %col2, %first2 : tensor<128x128xi32>
    %sm = arith.select %near, %causal, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    // online softmax
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    // a row that has seen no key yet
    %empty = arith.cmpf oeq, %mn, %neginf : tensor<128xf32>
    %shift = arith.select %empty, %zero1, %mn : tensor<128xi1>, tensor<128xf32>
    %mn2 = tile.broadcast %shift axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x128xf32>
    %p = math.exp2 %x : tensor<128x128xf32>
    %dm = arith.subf %mi, %shift : tensor<128xf32>
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
