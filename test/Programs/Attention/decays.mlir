// Attention with a decay between a query and a key, the difference of two vectors of rows of one view that several
// programs share: its elements need not lie at multiples of 16 bytes. ptxas stored 60 to 212 bytes of registers.
// RUN: heddle run %s --device=sim --dims S=200 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims S=131,H=1 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: hd::rowLoad<128>({{.*}}hd::scaled({{.*}}, ck_stride0) + hd::scaled({{.*}}, ck_stride1)
tile.kernel @attention_decays(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
  %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "S", "D"]},
  %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "S", "D"]},
  %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
  %cq: !tile.view<?x?x?xf32> {tile.name = "cq", tile.dims = ["B", "H", "S"]},
  %ck: !tile.view<?x?x?xf32> {tile.name = "ck", tile.dims = ["B", "H", "S"]},
  %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 300 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
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
  %q = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroO = arith.constant dense<0.0> : tensor<128x128xf32>
  %scale2 = tensor.splat %scale : tensor<128x128xf32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<128xi32>
  %cols = tile.iota : tensor<128xi32>
  %rows = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %moff = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %rows, %moff : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %w = arith.constant dense<512> : tensor<128xi32>
  %oldest = arith.subi %row, %w : tensor<128xi32>
  %oldest2 = tile.broadcast %oldest axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %diag = arith.addi %m0, %bm : index
  %end = arith.minui %diag, %T : index
  %fq = tile.load %cq[%b, %h, %m0] : !tile.view<?x?x?xf32> -> tensor<128xf32>
  %fq2 = tile.broadcast %fq axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %m, %l, %acc = scf.for %j = %c0 to %end step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<128xi32>
    %col = arith.addi %cols, %joff : tensor<128xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<128xi32> -> tensor<128x128xi32>
    %cc = arith.cmpi sle, %col2, %row2 : tensor<128x128xi32>
    %s0 = arith.mulf %s, %scale2 : tensor<128x128xf32>
    %fk = tile.load %ck[%b, %h, %j] : !tile.view<?x?x?xf32> -> tensor<128xf32>
    %fk2 = tile.broadcast %fk axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %fd = arith.subf %fq2, %fk2 : tensor<128x128xf32>
    %s4 = arith.addf %s0, %fd : tensor<128x128xf32>
    %sm = arith.select %cc, %s4, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %unseen = arith.cmpf oeq, %mn, %neginf : tensor<128xf32>
    %ms = arith.select %unseen, %zero1, %mn : tensor<128xi1>, tensor<128xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %x = arith.subf %sm, %ms2 : tensor<128x128xf32>
    %p = math.exp2 %x : tensor<128x128xf32>
    %dm = arith.subf %mi, %ms : tensor<128xf32>
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
  tile.return
}
