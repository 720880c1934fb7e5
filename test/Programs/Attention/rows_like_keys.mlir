// Blocks of 80 queries and of 80 keys: queries become 128 rows for the tensor core, keys, which it takes as they are,
// stay 80, so that the copy engine loads them.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=instructions | FileCheck %s --check-prefix=SIZES
// CHECK: {{^}}verified
// SIZES: scf.for {{.*}} step %c80
// SIZES: tile.load {{.*}} -> tensor<80x64xf16>
// SIZES: warp.dot {{.*}} -> tensor<64x80xf32>
// SIZES: tile.load {{.*}} -> tensor<80x64xf16>
!q = !tile.view<?x?x64xf16>
tile.kernel @attention(%Q: !q {tile.name = "Q", tile.dims = ["H", "S", "D"]},
                       %K: !q {tile.name = "K", tile.dims = ["H", "T", "D"]},
                       %V: !q {tile.name = "V", tile.dims = ["H", "T", "D"]},
                       %O: !q {tile.name = "O", tile.dims = ["H", "S", "D"]})
    attributes {tile.default_dims = {H = 2, S = 100, T = 200}} {
  %c0 = arith.constant 0 : index
  %c80 = arith.constant 80 : index
  %least = arith.constant dense<-1.0e+30> : tensor<80xf32>
  %none = arith.constant dense<-1.0e+30> : tensor<80x80xf32>
  %zero = arith.constant dense<0.0> : tensor<80xf32>
  %zeroS = arith.constant dense<0.0> : tensor<80x80xf32>
  %zeroO = arith.constant dense<0.0> : tensor<80x64xf32>
  %scale = arith.constant dense<0.2> : tensor<80x80xf32>
  %H = tile.dim %Q, 0 : !q
  %S = tile.dim %Q, 1 : !q
  %T = tile.dim %K, 1 : !q
  %programs = arith.ceildivui %S, %c80 : index
  tile.grid %programs, %H
  %p = tile.program_id 0
  %h = tile.program_id 1
  %m = arith.muli %p, %c80 : index
  %q = tile.load %Q[%h, %m, %c0] : !q -> tensor<80x64xf16>
  %t32 = arith.index_cast %T : index to i32
  %end = tensor.splat %t32 : tensor<80xi32>
  %columns = tile.iota : tensor<80xi32>
  %mx, %l, %acc = scf.for %j = %c0 to %T step %c80 iter_args(%m0 = %least, %l0 = %zero, %o0 = %zeroO)
      -> (tensor<80xf32>, tensor<80xf32>, tensor<80x64xf32>) {
    %k = tile.load %K[%h, %j, %c0] : !q -> tensor<80x64xf16>
    %kt = tile.transpose %k : tensor<80x64xf16> -> tensor<64x80xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<80x64xf16>, tensor<64x80xf16>, tensor<80x80xf32>
    %scaled = arith.mulf %s, %scale : tensor<80x80xf32>
    %j32 = arith.index_cast %j : index to i32
    %off = tensor.splat %j32 : tensor<80xi32>
    %column = arith.addi %columns, %off : tensor<80xi32>
    %in = arith.cmpi slt, %column, %end : tensor<80xi32>
    %in2 = tile.broadcast %in axis 0 : tensor<80xi1> -> tensor<80x80xi1>
    %x = arith.select %in2, %scaled, %none : tensor<80x80xi1>, tensor<80x80xf32>
    %rm = tile.reduce "max" %x axis 1 : tensor<80x80xf32> -> tensor<80xf32>
    %m1 = arith.maximumf %m0, %rm : tensor<80xf32>
    %mb = tile.broadcast %m1 axis 1 : tensor<80xf32> -> tensor<80x80xf32>
    %d = arith.subf %x, %mb : tensor<80x80xf32>
    %e = math.exp2 %d : tensor<80x80xf32>
    %dm = arith.subf %m0, %m1 : tensor<80xf32>
    %a = math.exp2 %dm : tensor<80xf32>
    %rs = tile.reduce "add" %e axis 1 : tensor<80x80xf32> -> tensor<80xf32>
    %la = arith.mulf %l0, %a : tensor<80xf32>
    %l1 = arith.addf %la, %rs : tensor<80xf32>
    %ab = tile.broadcast %a axis 1 : tensor<80xf32> -> tensor<80x64xf32>
    %oa = arith.mulf %o0, %ab : tensor<80x64xf32>
    %eh = arith.truncf %e : tensor<80x80xf32> to tensor<80x80xf16>
    %v = tile.load %V[%h, %j, %c0] : !q -> tensor<80x64xf16>
    %o1 = tile.dot %eh, %v, %oa : tensor<80x80xf16>, tensor<80x64xf16>, tensor<80x64xf32>
    scf.yield %m1, %l1, %o1 : tensor<80xf32>, tensor<80xf32>, tensor<80x64xf32>
  }
  %lb = tile.broadcast %l axis 1 : tensor<80xf32> -> tensor<80x64xf32>
  %o = arith.divf %acc, %lb : tensor<80x64xf32>
  %oh = arith.truncf %o : tensor<80x64xf32> to tensor<80x64xf16>
  tile.store %oh, %O[%h, %m, %c0] : tensor<80x64xf16>, !q
  tile.return
}
