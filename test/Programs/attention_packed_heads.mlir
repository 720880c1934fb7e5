// Heads that share keys and values packed into the rows of one tile: 16 queries of 8 heads.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @attention_packed_heads(%Q: !tile.view<?x?x?x8x128xbf16> {tile.name = "Q", tile.dims = ["B", "S", "HK",
    "G", "D"]},
    %O: !tile.view<?x?x?x8x128xbf16> {tile.name = "O", tile.dims = ["B", "S", "HK", "G", "D"]},
    %K: !tile.view<?x?x?x128xbf16> {tile.name = "K", tile.dims = ["B", "T", "HK", "D"]},
    %V: !tile.view<?x?x?x128xbf16> {tile.name = "V", tile.dims = ["B", "T", "HK", "D"]})
    attributes {tile.default_dims = {B = 2, HK = 2, S = 40, T = 200}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<128x128xf32>
  %zero3 = arith.constant dense<0.0> : tensor<128x64xf32>
  %k = arith.constant dense<0.125> : tensor<128x64xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %Q_1 = tile.dim %Q, 1 : !tile.view<?x?x?x8x128xbf16>
  %programs = arith.ceildivui %Q_1, %c16 : index
  %Q_2 = tile.dim %Q, 2 : !tile.view<?x?x?x8x128xbf16>
  %Q_0 = tile.dim %Q, 0 : !tile.view<?x?x?x8x128xbf16>
  tile.grid %programs, %Q_2, %Q_0
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %p2 = tile.program_id 2
  %muli = arith.muli %p0, %c16 : index
  %q = tile.load %Q[%p2, %muli, %p1, %c0, %c0] {dims = array<i64: 1, 3, 4>} : !tile.view<?x?x?x8x128xbf16> ->
      tensor<16x8x128xbf16>
  %collapse_shape = tensor.collapse_shape %q [[0, 1], [2]] : tensor<16x8x128xbf16> into tensor<128x128xbf16>
  %K_1 = tile.dim %K, 1 : !tile.view<?x?x?x128xbf16>
  %ra, %rb, %rc = scf.for %i = %c0 to %K_1 step %c64
      iter_args(%ca = %least, %cb = %zero, %cc = %zero2) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k2 = tile.load %K[%p2, %i, %p1, %c0] {dims = array<i64: 1, 3>} : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %k2t = tile.transpose %k2 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %d = tile.dot %collapse_shape, %k2t, %zero3 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %mulf = arith.mulf %d, %k : tensor<128x64xf32>
    %iota = tile.iota : tensor<64xi32>
    %i_i32 = arith.index_cast %i : index to i32
    %i_i32_all = tensor.splat %i_i32 : tensor<64xi32>
    %addi = arith.addi %iota, %i_i32_all : tensor<64xi32>
    %addi_wide = tile.broadcast %addi axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %K_1_2 = tile.dim %K, 1 : !tile.view<?x?x?x128xbf16>
    %K_1_2_i32 = arith.index_cast %K_1_2 : index to i32
    %K_1_2_i32_all = tensor.splat %K_1_2_i32 : tensor<128x64xi32>
    %cmpi = arith.cmpi slt, %addi_wide, %K_1_2_i32_all : tensor<128x64xi32>
    %select = arith.select %cmpi, %mulf, %least2 : tensor<128x64xi1>, tensor<128x64xf32>
    %v = tile.load %V[%p2, %i, %p1, %c0] {dims = array<i64: 1, 3>} : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %max = tile.reduce "max" %select axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %maximumf = arith.maximumf %ca, %max : tensor<128xf32>
    %maximumf_wide = tile.broadcast %maximumf axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %subf = arith.subf %select, %maximumf_wide : tensor<128x64xf32>
    %exp = math.exp %subf : tensor<128x64xf32>
    %subf2 = arith.subf %ca, %maximumf : tensor<128xf32>
    %exp2 = math.exp %subf2 : tensor<128xf32>
    %mulf2 = arith.mulf %cb, %exp2 : tensor<128xf32>
    %sum = tile.reduce "add" %exp axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %addf = arith.addf %mulf2, %sum : tensor<128xf32>
    %exp_h = arith.truncf %exp : tensor<128x64xf32> to tensor<128x64xbf16>
    %exp2_wide = tile.broadcast %exp2 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %mulf3 = arith.mulf %cc, %exp2_wide : tensor<128x128xf32>
    %d2 = tile.dot %exp_h, %v, %mulf3 : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %maximumf, %addf, %d2 : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %rb_wide = tile.broadcast %rb axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %divf = arith.divf %rc, %rb_wide : tensor<128x128xf32>
  %divf_h = arith.truncf %divf : tensor<128x128xf32> to tensor<128x128xbf16>
  %expand_shape = tensor.expand_shape %divf_h [[0, 1], [2]] output_shape [16, 8, 128] : tensor<128x128xbf16> into
      tensor<16x8x128xbf16>
  tile.store %expand_shape, %O[%p2, %muli, %p1, %c0, %c0] {dims = array<i64: 1, 3, 4>} : tensor<16x8x128xbf16>,
      !tile.view<?x?x?x8x128xbf16>
  tile.return
}
