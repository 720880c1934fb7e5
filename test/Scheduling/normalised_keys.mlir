// Attention whose keys are normalised by rows in the loop, with tiles of 128 x 128: more registers than there are.
// What is said is of the attempt that was left open, with the limit that the program's order exceeds and the arithmetic
// bound in cycles; no reason is looked for behind it.
// RUN: echo '{kernel = {retile = 0}}' > %t.plan
// RUN: not heddle compile %s --plan=%t.plan --no-cache --emit=cuda 2>&1 | FileCheck %s
// Blocks of 64 keys have room.
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=SHORT
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// SHORT: {{^}}verified
// PLAN: retile = 64, narrow = true
// CHECK: error: limit reached: no schedule: none found; operations one after the other exceed a limit: group 'compute0' (registers per thread) holds {{[0-9]+}}, slot {{[0-9]+}} needs {{[0-9]+}}; the interval is at least {{[1-9][0-9][0-9][0-9]}} (unit 'ALU' is busy
tile.kernel @attention(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                       %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                       %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                       %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                       %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                       %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 200 : i64, T = 300 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 128 in [64, 128, 192]
  %bn = tile.param "BN" = 128 in [64, 80, 96, 112, 128, 144, 160, 176]
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
  %q = tile.load %Q[%b, %h, %m0, %c0] {tile.sizes = ["BM", 128]} : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroO = arith.constant dense<0.0> : tensor<128x128xf32>
  %scale1 = tensor.splat %scale : tensor<128xf32>
  %scale2 = tensor.splat %scale : tensor<128x128xf32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<128xi32>
  %inv = arith.constant dense<0.0078125> : tensor<128xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<128xf32>
  %cols = tile.iota : tensor<128xi32>
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] {tile.sizes = ["BN", 128]} : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %kf = arith.extf %k : tensor<128x128xf16> to tensor<128x128xf32>
    %k2 = arith.mulf %kf, %kf : tensor<128x128xf32>
    %kss = tile.reduce "add" %k2 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %kms = arith.mulf %kss, %inv : tensor<128xf32>
    %kme = arith.addf %kms, %eps : tensor<128xf32>
    %kr = math.rsqrt %kme : tensor<128xf32>
    %kr2 = tile.broadcast %kr axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %kn = arith.mulf %kf, %kr2 : tensor<128x128xf32>
    %kh = arith.truncf %kn : tensor<128x128xf32> to tensor<128x128xf16>
    %kt = tile.transpose %kh : tensor<128x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    // keys past the end get weight zero
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<128xi32>
    %col = arith.addi %cols, %joff : tensor<128xi32>
    %in = arith.cmpi slt, %col, %limit : tensor<128xi32>
    %in2 = tile.broadcast %in axis 0 : tensor<128xi1> -> tensor<128x128xi1>
    %sm = arith.select %in2, %s, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    // online softmax
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %ms = arith.mulf %mn, %scale1 : tensor<128xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sm, %scale2 : tensor<128x128xf32>
    %x = arith.subf %scaled, %ms2 : tensor<128x128xf32>
    %p = math.exp2 %x : tensor<128x128xf32>
    %mis = arith.mulf %mi, %scale1 : tensor<128xf32>
    %dm = arith.subf %mis, %ms : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x128xf32>
    %ph = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
    %v = tile.load %V[%b, %h, %j, %c0] {tile.sizes = ["BN", 128]} : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %o = arith.divf %acc, %l2 : tensor<128x128xf32>
  %oh = arith.truncf %o : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %oh, %O[%b, %h, %m0, %c0] : tensor<128x128xf16>, !tile.view<?x?x?x128xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<128xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<128xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<128xf32>
  %logl = math.log %l : tensor<128xf32>
  %lse = arith.addf %mnat, %logl : tensor<128xf32>
  tile.store %lse, %LSE[%b, %h, %m0] : tensor<128xf32>, !tile.view<?x?x?xf32>
  tile.return
}
