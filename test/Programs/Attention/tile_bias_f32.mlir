// Attention with a tile of biases of 32 bits: a loop that copies three tiles, in programs from a counter. The thread
// that copies stored 8 bytes of registers with 24, none with 32.
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: load, 32 registers per thread
// CUDA: hd::nextProgram(
tile.kernel @attention(%Q: !tile.view<?x?x?x64xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                       %K: !tile.view<?x?x?x64xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                       %V: !tile.view<?x?x?x64xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                       %bias: !tile.view<?x?x?x?xf32> {tile.name = "bias", tile.dims = ["B", "H", "S", "T"]},
                       %O: !tile.view<?x?x?x64xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 100 : i64, T = 150 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x64xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x64xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x64xf16>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x64xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<128x64xf32>
  %scale2 = arith.constant dense<0.125> : tensor<128x64xf32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<64xi32>
  %cols = tile.iota : tensor<64xi32>
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zero2) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s0 = tile.dot %q, %kt, %zero2 : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %s1 = arith.mulf %s0, %scale2 : tensor<128x64xf32>
    %bt = tile.load %bias[%b, %h, %m0, %j] : !tile.view<?x?x?x?xf32> -> tensor<128x64xf32>
    %s = arith.addf %s1, %bt : tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %in = arith.cmpi slt, %col, %limit : tensor<64xi32>
    %in2 = tile.broadcast %in axis 0 : tensor<64xi1> -> tensor<128x64xi1>
    %sm = arith.select %in2, %s, %neginf2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %ms2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %ms2 : tensor<128x64xf32>
    %p = math.exp %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  %oh = arith.truncf %o : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %oh, %O[%b, %h, %m0, %c0] : tensor<128x64xf16>, !tile.view<?x?x?x64xf16>
  tile.return
}
