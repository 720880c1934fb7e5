// Attention forward with heads of 128: O = softmax(Q * K^T * scale) * V, the softmax online over blocks of keys, and
// the logarithm of its sum. scale_log2 is the scale of the softmax times log2(e), so that exp2 is the exponential.
//
//   @attention  all heads               @host: a grid of heads and rows
//   @head       some rows of one head   @fa2: key block after key block
//                                       @fa3: the same, Q * K^T one block ahead
//   @step       one block of keys       @rows: rows for each warp group   @one: product, softmax, product

task.task @attention(O: write f16[B, H, S, 128], LSE: write f32[B, H, S], Q: read f16[B, H, S, 128],
                     K: read f16[B, H, T, 128], V: read f16[B, H, T, 128], scale_log2: f32 = 0.12751743)
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64}}
task.task @head(O: write f16[S, 128], LSE: write f32[S], Q: read f16[S, 128], K: read f16[T, 128],
                V: read f16[T, 128], scale: f32)
task.task @begin(o: write f32[S, 128], m: write f32[S], l: write f32[S])
task.task @step(o: read_write f32[S, 128], m: read_write f32[S], l: read_write f32[S], Q: read f16[S, 128],
                K: read f16[W, 128], V: read f16[W, 128], scale: f32, left: index)
task.task @end(O: write f16[S, 128], LSE: write f32[S], o: read f32[S, 128], m: read f32[S], l: read f32[S], scale: f32)
// Parts of a step: the scores of keys; their weights, with the sums so far weighted anew; the weighted values. `left`
// keys are in the tensor: the others have weight zero.
task.task @scores(s: write f32[S, W], Q: read f16[S, 128], K: read f16[W, 128])
task.task @softmax(p: write f16[S, W], o: read_write f32[S, 128], m: read_write f32[S], l: read_write f32[S],
                   s: read f32[S, W], scale: f32, left: index)
task.task @copy(s: write f32[S, W], t: read f32[S, W])
task.task @values(o: read_write f32[S, 128], p: read f16[S, W], V: read f16[W, 128])

task.variant @host of @attention inner (%O, %LSE, %Q, %K, %V, %scale: f32) {
  %u = task.tunable "U" = 128 in [64, 128, 192]
  %o = task.blocks %O [1, 1, %u, full]
  %lse = task.blocks %LSE [1, 1, %u]
  %q = task.blocks %Q [1, 1, %u, full]
  %k = task.blocks %K [1, 1, full, full]
  %v = task.blocks %V [1, 1, full, full]
  %batch = task.count %o, 0
  %heads = task.count %o, 1
  %n = task.count %o, 2
  task.prange (%b, %h, %i) to (%batch, %heads, %n) {
    %oi = task.piece %o[%b, %h, %i, 0]
    %li = task.piece %lse[%b, %h, %i]
    %qi = task.piece %q[%b, %h, %i, 0]
    %kh = task.piece %k[%b, %h, 0, 0]
    %vh = task.piece %v[%b, %h, 0, 0]
    task.launch @head(%oi, %li, %qi, %kh, %vh, %scale : f32)
  }
}

task.variant @fa2 of @head inner (%O, %LSE, %Q, %K, %V, %scale: f32) {
  %w = task.tunable "W" = 128 in [64, 128]
  %rows = task.dim %Q, 0
  %keys = task.dim %K, 0
  %o = task.make_tensor [%rows, 128] : f32
  %m = task.make_tensor [%rows] : f32
  %l = task.make_tensor [%rows] : f32
  %k = task.blocks %K [%w, full]
  %v = task.blocks %V [%w, full]
  %n = task.count %k, 0
  task.launch @begin(%o, %m, %l)
  task.srange (%j) to (%n) {
    %first = arith.muli %j, %w : index
    %left = arith.subi %keys, %first : index
    %kj = task.piece %k[%j, 0]
    %vj = task.piece %v[%j, 0]
    task.launch @step(%o, %m, %l, %Q, %kj, %vj, %scale : f32, %left : index)
  }
  task.launch @end(%O, %LSE, %o, %m, %l, %scale : f32)
}

// The scores of the next keys are computed before the softmax of these: the loop rewritten by hand.
task.variant @fa3 of @head inner (%O, %LSE, %Q, %K, %V, %scale: f32) {
  %w = task.tunable "W" = 128 in [64, 128]
  %rows = task.dim %Q, 0
  %keys = task.dim %K, 0
  %one = arith.constant 1 : index
  %o = task.make_tensor [%rows, 128] : f32
  %m = task.make_tensor [%rows] : f32
  %l = task.make_tensor [%rows] : f32
  %s = task.make_tensor [%rows, %w] : f32
  %k = task.blocks %K [%w, full]
  %v = task.blocks %V [%w, full]
  %n = task.count %k, 0
  task.launch @begin(%o, %m, %l)
  %k0 = task.piece %k[0, 0]
  task.launch @scores(%s, %Q, %k0)
  task.srange (%j) to (%n) {
    %first = arith.muli %j, %w : index
    %left = arith.subi %keys, %first : index
    %next = arith.addi %j, %one : index
    %kn = task.piece %k[%next, 0]
    %vj = task.piece %v[%j, 0]
    %ahead = task.make_tensor [%rows, %w] : f32
    %p = task.make_tensor [%rows, %w] : f16
    task.launch @scores(%ahead, %Q, %kn)
    task.launch @softmax(%p, %o, %m, %l, %s, %scale : f32, %left : index)
    task.launch @values(%o, %p, %vj)
    task.launch @copy(%s, %ahead)
  }
  task.launch @end(%O, %LSE, %o, %m, %l, %scale : f32)
}

// One block of keys.
task.variant @one of @step inner (%o, %m, %l, %Q, %K, %V, %scale: f32, %left: index) {
  %rows = task.dim %Q, 0
  %keys = task.dim %K, 0
  %s = task.make_tensor [%rows, %keys] : f32
  %p = task.make_tensor [%rows, %keys] : f16
  task.launch @scores(%s, %Q, %K)
  task.launch @softmax(%p, %o, %m, %l, %s, %scale : f32, %left : index)
  task.launch @values(%o, %p, %V)
}

// Rows for each warp group.
task.variant @step_rows of @step inner (%o, %m, %l, %Q, %K, %V, %scale: f32, %left: index) {
  %r = task.tunable "R" = 64 in [64, 128]
  %os = task.blocks %o [%r, full]
  %ms = task.blocks %m [%r]
  %ls = task.blocks %l [%r]
  %Qs = task.blocks %Q [%r, full]
  %groups = task.count %os, 0
  task.prange (%g) to (%groups) {
    %og = task.piece %os[%g, 0]
    %mg = task.piece %ms[%g]
    %lg = task.piece %ls[%g]
    %Qg = task.piece %Qs[%g, 0]
    task.launch @step(%og, %mg, %lg, %Qg, %K, %V, %scale : f32, %left : index)
  }
}

task.variant @begin_rows of @begin inner (%o, %m, %l) {
  %r = task.tunable "R" = 64 in [64, 128]
  %os = task.blocks %o [%r, full]
  %ms = task.blocks %m [%r]
  %ls = task.blocks %l [%r]
  %groups = task.count %os, 0
  task.prange (%g) to (%groups) {
    %og = task.piece %os[%g, 0]
    %mg = task.piece %ms[%g]
    %lg = task.piece %ls[%g]
    task.launch @begin(%og, %mg, %lg)
  }
}

task.variant @end_rows of @end inner (%O, %LSE, %o, %m, %l, %scale: f32) {
  %r = task.tunable "R" = 64 in [64, 128]
  %Os = task.blocks %O [%r, full]
  %LSEs = task.blocks %LSE [%r]
  %sums = task.blocks %o [%r, full]
  %ms = task.blocks %m [%r]
  %ls = task.blocks %l [%r]
  %groups = task.count %Os, 0
  task.prange (%g) to (%groups) {
    %Og = task.piece %Os[%g, 0]
    %LSEg = task.piece %LSEs[%g]
    %sumsg = task.piece %sums[%g, 0]
    %mg = task.piece %ms[%g]
    %lg = task.piece %ls[%g]
    task.launch @end(%Og, %LSEg, %sumsg, %mg, %lg, %scale : f32)
  }
}

task.variant @scores_rows of @scores inner (%s, %Q, %K) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ss = task.blocks %s [%r, full]
  %Qs = task.blocks %Q [%r, full]
  %groups = task.count %ss, 0
  task.prange (%g) to (%groups) {
    %sg = task.piece %ss[%g, 0]
    %Qg = task.piece %Qs[%g, 0]
    task.launch @scores(%sg, %Qg, %K)
  }
}

task.variant @softmax_rows of @softmax inner (%p, %o, %m, %l, %s, %scale: f32, %left: index) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ps = task.blocks %p [%r, full]
  %os = task.blocks %o [%r, full]
  %ms = task.blocks %m [%r]
  %ls = task.blocks %l [%r]
  %ss = task.blocks %s [%r, full]
  %groups = task.count %ps, 0
  task.prange (%g) to (%groups) {
    %pg = task.piece %ps[%g, 0]
    %og = task.piece %os[%g, 0]
    %mg = task.piece %ms[%g]
    %lg = task.piece %ls[%g]
    %sg = task.piece %ss[%g, 0]
    task.launch @softmax(%pg, %og, %mg, %lg, %sg, %scale : f32, %left : index)
  }
}

task.variant @values_rows of @values inner (%o, %p, %V) {
  %r = task.tunable "R" = 64 in [64, 128]
  %os = task.blocks %o [%r, full]
  %ps = task.blocks %p [%r, full]
  %groups = task.count %os, 0
  task.prange (%g) to (%groups) {
    %og = task.piece %os[%g, 0]
    %pg = task.piece %ps[%g, 0]
    task.launch @values(%og, %pg, %V)
  }
}

task.variant @copy_rows of @copy inner (%s, %t) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ss = task.blocks %s [%r, full]
  %ts = task.blocks %t [%r, full]
  %groups = task.count %ss, 0
  task.prange (%g) to (%groups) {
    %sg = task.piece %ss[%g, 0]
    %tg = task.piece %ts[%g, 0]
    task.launch @copy(%sg, %tg)
  }
}

task.variant @begin_leaf of @begin leaf (%o: tensor<64x128xf32>, %m: tensor<64xf32>, %l: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %neginf = arith.constant dense<0xFF800000> : tensor<64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero, %neginf, %none : tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>
}

task.variant @scores_leaf of @scores leaf (%s: tensor<64x128xf32>, %Q: tensor<64x128xf16>, %K: tensor<128x128xf16>) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %kt = tile.transpose %K : tensor<128x128xf16> -> tensor<128x128xf16>
  %r = tile.dot %Q, %kt, %zero : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
  task.return %r : tensor<64x128xf32>
}

task.variant @softmax_leaf of @softmax leaf (%p: tensor<64x128xf16>, %o: tensor<64x128xf32>, %m: tensor<64xf32>,
                                             %l: tensor<64xf32>, %s: tensor<64x128xf32>, %scale: f32, %left: index) {
  %neginf2 = arith.constant dense<0xFF800000> : tensor<64x128xf32>
  %scale1 = tensor.splat %scale : tensor<64xf32>
  %scale2 = tensor.splat %scale : tensor<64x128xf32>
  // keys past the end get weight zero
  %left32 = arith.index_cast %left : index to i32
  %limit = tensor.splat %left32 : tensor<128xi32>
  %cols = tile.iota : tensor<128xi32>
  %in = arith.cmpi slt, %cols, %limit : tensor<128xi32>
  %in2 = tile.broadcast %in axis 0 : tensor<128xi1> -> tensor<64x128xi1>
  %sm = arith.select %in2, %s, %neginf2 : tensor<64x128xi1>, tensor<64x128xf32>
  // online softmax
  %rm = tile.reduce "max" %sm axis 1 : tensor<64x128xf32> -> tensor<64xf32>
  %mn = arith.maximumf %m, %rm : tensor<64xf32>
  %ms = arith.mulf %mn, %scale1 : tensor<64xf32>
  %ms2 = tile.broadcast %ms axis 1 : tensor<64xf32> -> tensor<64x128xf32>
  %scaled = arith.mulf %sm, %scale2 : tensor<64x128xf32>
  %x = arith.subf %scaled, %ms2 : tensor<64x128xf32>
  %w = math.exp2 %x : tensor<64x128xf32>
  %mis = arith.mulf %m, %scale1 : tensor<64xf32>
  %dm = arith.subf %mis, %ms : tensor<64xf32>
  %alpha = math.exp2 %dm : tensor<64xf32>
  %rs = tile.reduce "add" %w axis 1 : tensor<64x128xf32> -> tensor<64xf32>
  %la = arith.mulf %l, %alpha : tensor<64xf32>
  %ln = arith.addf %la, %rs : tensor<64xf32>
  %alpha2 = tile.broadcast %alpha axis 1 : tensor<64xf32> -> tensor<64x128xf32>
  %oa = arith.mulf %o, %alpha2 : tensor<64x128xf32>
  %ph = arith.truncf %w : tensor<64x128xf32> to tensor<64x128xf16>
  task.return %ph, %oa, %mn, %ln : tensor<64x128xf16>, tensor<64x128xf32>, tensor<64xf32>, tensor<64xf32>
}

task.variant @values_leaf of @values leaf (%o: tensor<64x128xf32>, %p: tensor<64x128xf16>, %V: tensor<128x128xf16>) {
  %r = tile.dot %p, %V, %o : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
  task.return %r : tensor<64x128xf32>
}

task.variant @end_leaf of @end leaf (%O: tensor<64x128xf16>, %LSE: tensor<64xf32>, %o: tensor<64x128xf32>,
                                     %m: tensor<64xf32>, %l: tensor<64xf32>, %scale: f32) {
  %l2 = tile.broadcast %l axis 1 : tensor<64xf32> -> tensor<64x128xf32>
  %r = arith.divf %o, %l2 : tensor<64x128xf32>
  %rh = arith.truncf %r : tensor<64x128xf32> to tensor<64x128xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<64xf32>
  %scale1 = tensor.splat %scale : tensor<64xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<64xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<64xf32>
  %logl = math.log %l : tensor<64xf32>
  %lse = arith.addf %mnat, %logl : tensor<64xf32>
  task.return %rh, %lse : tensor<64x128xf16>, tensor<64xf32>
}

task.variant @copy_leaf of @copy leaf (%s: tensor<64x128xf32>, %t: tensor<64x128xf32>) {
  task.return %t : tensor<64x128xf32>
}
