// Decoding: eight queries that share keys and values, the keys split over `parts` programs, and the sum of their
// parts. Each program gives its part of the result and its weight, the logarithm (base 2) of its sum of powers; both
// stay between the kernels. Which number of parts is best depends on batch, heads and keys: about as many programs as
// there are multiprocessors.
tile.chain @attention_decoding(%Q: !tile.view<?x?x8x128xf16> {tile.name = "Q", tile.dims = ["B", "HK", "G", "D"]},
                               %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "HK", "T", "D"]},
                               %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "HK", "T", "D"]},
                               %O: !tile.view<?x?x8x128xf16> {tile.name = "O", tile.dims = ["B", "HK", "G", "D"]},
                               %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32},
                               %parts: index {tile.name = "parts", tile.default = 3 : index})
    attributes {tile.default_dims = {B = 2, HK = 2, T = 300}} {
  %B = tile.dim %Q, 0 : !tile.view<?x?x8x128xf16>
  %HK = tile.dim %Q, 1 : !tile.view<?x?x8x128xf16>
  %P = tile.workspace "P" [%B, %HK, %parts] : !tile.view<?x?x?x8x128xf32>
  %L = tile.workspace "L" [%B, %HK, %parts] : !tile.view<?x?x?x8xf32>
  tile.launch @parts_of_keys(%Q, %K, %V, %P, %L, %scale)
      : !tile.view<?x?x8x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x128xf16>, !tile.view<?x?x?x8x128xf32>,
        !tile.view<?x?x?x8xf32>, f32
  tile.launch @combine_parts(%P, %L, %O)
      : !tile.view<?x?x?x8x128xf32>, !tile.view<?x?x?x8xf32>, !tile.view<?x?x8x128xf16>
  tile.return
}

// One part: its result and its weight.
tile.kernel @parts_of_keys(%Q: !tile.view<?x?x8x128xf16> {tile.name = "Q", tile.dims = ["B", "HK", "G", "D"]},
                           %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "HK", "T", "D"]},
                           %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "HK", "T", "D"]},
                           %P: !tile.view<?x?x?x8x128xf32> {tile.name = "P",
                             tile.dims = ["B", "HK", "parts", "G", "D"]},
                           %L: !tile.view<?x?x?x8xf32> {tile.name = "L",
                             tile.dims = ["B", "HK", "parts", "G"]},
                           %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 2, HK = 2, T = 300, parts = 3}} {
  %c0 = arith.constant 0 : index
  %bn = arith.constant 64 : index
  %batch = tile.dim %K, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %K, 1 : !tile.view<?x?x?x128xf16>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x128xf16>
  %parts = tile.dim %P, 2 : !tile.view<?x?x?x8x128xf32>
  tile.grid %parts, %heads, %batch
  %part = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  // blocks of keys of this part
  %blocks = arith.ceildivui %T, %bn : index
  %blocksOfPart = arith.ceildivui %blocks, %parts : index
  %keysOfPart = arith.muli %blocksOfPart, %bn : index
  %from = arith.muli %part, %keysOfPart : index
  %after = arith.addi %from, %keysOfPart : index
  %to = arith.minui %after, %T : index
  %q = tile.load %Q[%b, %h, %c0, %c0] : !tile.view<?x?x8x128xf16> -> tensor<8x128xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<8x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<8xf32>
  %zeroS = arith.constant dense<0.0> : tensor<8x64xf32>
  %zeroO = arith.constant dense<0.0> : tensor<8x128xf32>
  %scale1 = tensor.splat %scale : tensor<8xf32>
  %scale2 = tensor.splat %scale : tensor<8x64xf32>
  %cols = tile.iota : tensor<64xi32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<64xi32>
  %m, %l, %acc = scf.for %j = %from to %to step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %kt = tile.transpose %k : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<8x128xf16>, tensor<128x64xf16>, tensor<8x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %in = arith.cmpi slt, %col, %limit : tensor<64xi32>
    %in2 = tile.broadcast %in axis 0 : tensor<64xi1> -> tensor<8x64xi1>
    %sm = arith.select %in2, %s, %neginf2 : tensor<8x64xi1>, tensor<8x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<8x64xf32> -> tensor<8xf32>
    %mn = arith.maximumf %mi, %rm : tensor<8xf32>
    %ms = arith.mulf %mn, %scale1 : tensor<8xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<8xf32> -> tensor<8x64xf32>
    %scaled = arith.mulf %sm, %scale2 : tensor<8x64xf32>
    %x = arith.subf %scaled, %ms2 : tensor<8x64xf32>
    %p = math.exp2 %x : tensor<8x64xf32>
    %mis = arith.mulf %mi, %scale1 : tensor<8xf32>
    %dm = arith.subf %mis, %ms : tensor<8xf32>
    %alpha = math.exp2 %dm : tensor<8xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<8x64xf32> -> tensor<8xf32>
    %la = arith.mulf %li, %alpha : tensor<8xf32>
    %ln = arith.addf %la, %rs : tensor<8xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<8xf32> -> tensor<8x128xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<8x128xf32>
    %ph = arith.truncf %p : tensor<8x64xf32> to tensor<8x64xf16>
    %v = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<64x128xf16>
    %on = tile.dot %ph, %v, %oa : tensor<8x64xf16>, tensor<64x128xf16>, tensor<8x128xf32>
    scf.yield %mn, %ln, %on : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
  }
  // a part without keys weighs nothing: its logarithm is minus infinity, its values are zero
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %none = arith.cmpf oeq, %l, %zero1 : tensor<8xf32>
  %by = arith.select %none, %one, %l : tensor<8xi1>, tensor<8xf32>
  %by2 = tile.broadcast %by axis 1 : tensor<8xf32> -> tensor<8x128xf32>
  %o = arith.divf %acc, %by2 : tensor<8x128xf32>
  tile.store %o, %P[%b, %h, %part, %c0, %c0] : tensor<8x128xf32>, !tile.view<?x?x?x8x128xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<8xf32>
  %logl = math.log2 %by : tensor<8xf32>
  %weight = arith.addf %mscaled, %logl : tensor<8xf32>
  tile.store %weight, %L[%b, %h, %part, %c0] : tensor<8xf32>, !tile.view<?x?x?x8xf32>
  tile.return
}

// Parts of results with weights (base 2 logarithms) become one result.
tile.kernel @combine_parts(%P: !tile.view<?x?x?x8x128xf32> {tile.name = "P",
                             tile.dims = ["B", "HK", "parts", "G", "D"]},
                           %L: !tile.view<?x?x?x8xf32> {tile.name = "L",
                             tile.dims = ["B", "HK", "parts", "G"]},
                           %O: !tile.view<?x?x8x128xf16> {tile.name = "O",
                             tile.dims = ["B", "HK", "G", "D"]})
    attributes {tile.default_dims = {B = 2, HK = 2, parts = 5}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tile.dim %P, 0 : !tile.view<?x?x?x8x128xf32>
  %heads = tile.dim %P, 1 : !tile.view<?x?x?x8x128xf32>
  %parts = tile.dim %P, 2 : !tile.view<?x?x?x8x128xf32>
  tile.grid %heads, %batch
  %h = tile.program_id 0
  %b = tile.program_id 1
  %neginf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero1 = arith.constant dense<0.0> : tensor<8xf32>
  %zero2 = arith.constant dense<0.0> : tensor<8x128xf32>
  // the largest weight first, so that no power of two overflows
  %most = scf.for %i = %c0 to %parts step %c1 iter_args(%mi = %neginf) -> (tensor<8xf32>) {
    %w = tile.load %L[%b, %h, %i, %c0] : !tile.view<?x?x?x8xf32> -> tensor<8xf32>
    %mn = arith.maximumf %mi, %w : tensor<8xf32>
    scf.yield %mn : tensor<8xf32>
  }
  %l, %acc = scf.for %i = %c0 to %parts step %c1
      iter_args(%li = %zero1, %oi = %zero2) -> (tensor<8xf32>, tensor<8x128xf32>) {
    %w = tile.load %L[%b, %h, %i, %c0] : !tile.view<?x?x?x8xf32> -> tensor<8xf32>
    %o = tile.load %P[%b, %h, %i, %c0, %c0] : !tile.view<?x?x?x8x128xf32> -> tensor<8x128xf32>
    %d = arith.subf %w, %most : tensor<8xf32>
    %e = math.exp2 %d : tensor<8xf32>
    %ln = arith.addf %li, %e : tensor<8xf32>
    %e2 = tile.broadcast %e axis 1 : tensor<8xf32> -> tensor<8x128xf32>
    %eo = arith.mulf %e2, %o : tensor<8x128xf32>
    %on = arith.addf %oi, %eo : tensor<8x128xf32>
    scf.yield %ln, %on : tensor<8xf32>, tensor<8x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<8xf32> -> tensor<8x128xf32>
  %o = arith.divf %acc, %l2 : tensor<8x128xf32>
  %oh = arith.truncf %o : tensor<8x128xf32> to tensor<8x128xf16>
  tile.store %oh, %O[%b, %h, %c0, %c0] : tensor<8x128xf16>, !tile.view<?x?x8x128xf16>
  tile.return
}
