// Decoding from pages, the pages of a sequence split over programs: pages.mlir and split_keys.mlir in one.
// combine_parts.mlir adds the parts.
// RUN: heddle run %s --device=sim --input "table=integers(0,5)" --input "len=integers(0,256)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --input "table=integers(0,5)" --input "len=integers(0,256)" | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @attention_pages_split(%Q: !tile.view<?x?x8x128xf16> {tile.name = "Q", tile.dims = ["B", "HK", "G", "D"]},
                                   %K: !tile.view<?x?x64x128xf16> {tile.name = "K",
                                     tile.dims = ["pages", "HK", "R", "D"]},
                                   %V: !tile.view<?x?x64x128xf16> {tile.name = "V",
                                     tile.dims = ["pages", "HK", "R", "D"]},
                                   %table: !tile.view<?x?xi32> {tile.name = "table", tile.dims = ["B", "N"]},
                                   %len: !tile.view<?xi32> {tile.name = "len", tile.dims = ["B"]},
                                   %P: !tile.view<?x?x?x8x128xf32> {tile.name = "P",
                                     tile.dims = ["B", "HK", "parts", "G", "D"]},
                                   %L: !tile.view<?x?x?x8xf32> {tile.name = "L",
                                     tile.dims = ["B", "HK", "parts", "G"]},
                                   %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 3, HK = 2, pages = 6, N = 4, parts = 3}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %pageSize = arith.constant 64 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x8x128xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x8x128xf16>
  %N = tile.dim %table, 1 : !tile.view<?x?xi32>
  %parts = tile.dim %P, 2 : !tile.view<?x?x?x8x128xf32>
  tile.grid %parts, %heads, %batch
  %part = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  // keys of this sequence, at most as many as its pages hold
  %len32 = tile.element %len[%b] : !tile.view<?xi32> -> i32
  %some = arith.maxsi %len32, %none : i32
  %asked = arith.index_cast %some : i32 to index
  %room = arith.muli %N, %pageSize : index
  %T = arith.minui %asked, %room : index
  %pages = arith.ceildivui %T, %pageSize : index
  // pages of this part
  %pagesOfPart = arith.ceildivui %pages, %parts : index
  %from = arith.muli %part, %pagesOfPart : index
  %after = arith.addi %from, %pagesOfPart : index
  %to = arith.minui %after, %pages : index
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
  %m, %l, %acc = scf.for %i = %from to %to step %c1
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
    %page32 = tile.element %table[%b, %i] : !tile.view<?x?xi32> -> i32
    %page = arith.index_cast %page32 : i32 to index
    %k = tile.load %K[%page, %h, %c0, %c0] : !tile.view<?x?x64x128xf16> -> tensor<64x128xf16>
    %kt = tile.transpose %k : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<8x128xf16>, tensor<128x64xf16>, tensor<8x64xf32>
    %j = arith.muli %i, %pageSize : index
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
    %v = tile.load %V[%page, %h, %c0, %c0] : !tile.view<?x?x64x128xf16> -> tensor<64x128xf16>
    %on = tile.dot %ph, %v, %oa : tensor<8x64xf16>, tensor<64x128xf16>, tensor<8x128xf32>
    scf.yield %mn, %ln, %on : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
  }
  // a part without keys weighs nothing: its logarithm is minus infinity, its values are zero
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %weightless = arith.cmpf oeq, %l, %zero1 : tensor<8xf32>
  %by = arith.select %weightless, %one, %l : tensor<8xi1>, tensor<8xf32>
  %by2 = tile.broadcast %by axis 1 : tensor<8xf32> -> tensor<8x128xf32>
  %o = arith.divf %acc, %by2 : tensor<8x128xf32>
  tile.store %o, %P[%b, %h, %part, %c0, %c0] : tensor<8x128xf32>, !tile.view<?x?x?x8x128xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<8xf32>
  %logl = math.log2 %by : tensor<8xf32>
  %weight = arith.addf %mscaled, %logl : tensor<8xf32>
  tile.store %weight, %L[%b, %h, %part, %c0] : tensor<8xf32>, !tile.view<?x?x?x8xf32>
  tile.return
}
