// Attention with a bias for each key, a vector that every iteration loads: its programs come from a counter as those
// without it do.
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s
// RUN: echo '{kernel = {spare = 0}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: load, 32 registers per thread
// CUDA: hd::ldSharedUniform(programs, lane)
// CUDA: hd::nextProgram(
tile.kernel @attention(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                       %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                       %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                       %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                       %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                       %bias: !tile.view<?xf32> {tile.name = "bias", tile.dims = ["T"]},
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
  %cols = tile.iota : tensor<128xi32>
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] {tile.sizes = ["BN", 128]} : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %s0 = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %bj = tile.load %bias[%j] {tile.sizes = ["BN"]} : !tile.view<?xf32> -> tensor<128xf32>
    %bj2 = tile.broadcast %bj axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %s = arith.addf %s0, %bj2 : tensor<128x128xf32>
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
