// Attention over the blocks of keys that a list in memory names for each block of queries.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @attention_block_list(%Q: !tile.view<?x?x?x128xbf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %O: !tile.view<?x?x?x128xbf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xbf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xbf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
    %index: !tile.view<?x?xi32> {tile.name = "index", tile.dims = ["QB", "NB"]},
    %count: !tile.view<?xi32> {tile.name = "count", tile.dims = ["QB"]})
    attributes {tile.default_dims = {B = 1, H = 2, S = 200, T = 256, QB = 4, NB = 3}} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = arith.constant 3 : i32
  %zero3 = arith.constant dense<0.0> : tensor<128x64xf32>
  %k2 = arith.constant dense<0.125> : tensor<128x64xf32>
  %k3 = arith.constant dense<-1.0e+30> : tensor<128x64xf32>
  %Q_2 = tile.dim %Q, 2 : !tile.view<?x?x?x128xbf16>
  %programs = arith.ceildivui %Q_2, %c128 : index
  %Q_1 = tile.dim %Q, 1 : !tile.view<?x?x?x128xbf16>
  %Q_0 = tile.dim %Q, 0 : !tile.view<?x?x?x128xbf16>
  tile.grid %programs, %Q_1, %Q_0
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %p2 = tile.program_id 2
  %muli = arith.muli %p0, %c128 : index
  %q = tile.load %Q[%p2, %p1, %muli, %c0] : !tile.view<?x?x?x128xbf16> -> tensor<128x128xbf16>
  %divui = arith.divui %muli, %c128 : index
  %count_at = tile.element %count[%divui] : !tile.view<?xi32> -> i32
  %count_at_index = arith.index_cast %count_at : i32 to index
  %minsi = arith.minsi %count_at_index, %c3 : index
  %maxsi = arith.maxsi %minsi, %c1 : index
  %ra, %rb, %rc = scf.for %i = %c0 to %maxsi step %c1
      iter_args(%ca = %least, %cb = %zero, %cc = %zero2) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %index_at = tile.element %index[%divui, %i] : !tile.view<?x?xi32> -> i32
    %andi = arith.andi %index_at, %k : i32
    %andi_index = arith.index_cast %andi : i32 to index
    %muli2 = arith.muli %andi_index, %c64 : index
    %k4 = tile.load %K[%p2, %p1, %muli2, %c0] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
    %k4t = tile.transpose %k4 : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %d = tile.dot %q, %k4t, %zero3 : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %mulf = arith.mulf %d, %k2 : tensor<128x64xf32>
    %iota = tile.iota : tensor<64xi32>
    %muli2_i32 = arith.index_cast %muli2 : index to i32
    %muli2_i32_all = tensor.splat %muli2_i32 : tensor<64xi32>
    %addi = arith.addi %iota, %muli2_i32_all : tensor<64xi32>
    %addi_wide = tile.broadcast %addi axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %K_2 = tile.dim %K, 2 : !tile.view<?x?x?x128xbf16>
    %K_2_i32 = arith.index_cast %K_2 : index to i32
    %K_2_i32_all = tensor.splat %K_2_i32 : tensor<128x64xi32>
    %cmpi = arith.cmpi slt, %addi_wide, %K_2_i32_all : tensor<128x64xi32>
    %select = arith.select %cmpi, %mulf, %k3 : tensor<128x64xi1>, tensor<128x64xf32>
    %v = tile.load %V[%p2, %p1, %muli2, %c0] : !tile.view<?x?x?x128xbf16> -> tensor<64x128xbf16>
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
  tile.store %divf_h, %O[%p2, %p1, %muli, %c0] : tensor<128x128xbf16>, !tile.view<?x?x?x128xbf16>
  tile.return
}
