// A ring may have fewer slots than the schedule keeps (V: one of two), where others were given what shared memory had
// left (K and the bias: two of one). A plan that pinned these would leave no room for that.
// RUN: echo '{kernel = {spare = 0}}' > %t.free
// RUN: heddle compile %s --plan=%t.free --emit=plan > %t.plan
// RUN: FileCheck %s < %t.plan
// CHECK: load_1 = {stage = 0, start = 0}, {{.*}}ring of 2, by what fits
// CHECK: load_3 = {{.*}}ring of 1, by what fits; the schedule would keep 2
// RUN: heddle compile %s --plan=%t.free --emit=cuda | tail -n +3 > %t.first
// RUN: heddle compile %s --plan=%t.plan --emit=cuda | tail -n +3 | diff %t.first -
tile.kernel @attention(%Q: !tile.view<?x?x128xf16> {tile.name = "Q", tile.dims = ["H", "S", "D"]},
                       %K: !tile.view<?x?x128xf16> {tile.name = "K", tile.dims = ["H", "T", "D"]},
                       %V: !tile.view<?x?x128xf16> {tile.name = "V", tile.dims = ["H", "T", "DV"]},
                       %O: !tile.view<?x?x128xf16> {tile.name = "O", tile.dims = ["H", "S", "DV"]},
                       %Bias: !tile.view<?x?xf16> {tile.name = "Bias", tile.dims = ["S", "T"]},
                       %scale: f32 {tile.name = "scale", tile.default = 0.125 : f32})
    attributes {tile.default_dims = {H = 1 : i64, S = 200 : i64, T = 300 : i64}} {
  %bm = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %bn = arith.constant 32 : index
  %zeroS = arith.constant dense<0.0> : tensor<128x32xf32>
  %masked = arith.constant dense<0xFF800000> : tensor<128x32xf32>
  %S = tile.dim %Q, 1 : !tile.view<?x?x128xf16>
  %g = arith.ceildivui %S, %bm : index
  %H = tile.dim %Q, 0 : !tile.view<?x?x128xf16>
  tile.grid %g, %H
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%h, %m0, %c0] : !tile.view<?x?x128xf16> -> tensor<128x128xf16>
  %T = tile.dim %K, 1 : !tile.view<?x?x128xf16>
  %m, %l, %o = scf.for %j = %c0 to %T step %bn iter_args(%mi = %least, %li = %zero, %oi = %zeros)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%h, %j, %c0] : !tile.view<?x?x128xf16> -> tensor<32x128xf16>
    %kt = tile.transpose %k : tensor<32x128xf16> -> tensor<128x32xf16>
    %s = tile.dot %q, %kt, %zeroS : tensor<128x128xf16>, tensor<128x32xf16>, tensor<128x32xf32>
    %range = tile.iota : tensor<32xi32>
    %j32 = arith.index_cast %j : index to i32
    %from = tensor.splat %j32 : tensor<32xi32>
    %at = arith.addi %range, %from : tensor<32xi32>
    %bias = tile.load %Bias[%m0, %j] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %wide = arith.extf %bias : tensor<128x32xf16> to tensor<128x32xf32>
    %biased = arith.addf %s, %wide : tensor<128x32xf32>
    %t32 = arith.index_cast %T : index to i32
    %end = tensor.splat %t32 : tensor<32xi32>
    %in = arith.cmpi slt, %at, %end : tensor<32xi32>
    %ins = tile.broadcast %in axis 0 : tensor<32xi1> -> tensor<128x32xi1>
    %sm = arith.select %ins, %biased, %masked : tensor<128x32xi1>, tensor<128x32xf32>
    %top = tile.reduce "max" %sm axis 1 : tensor<128x32xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %top : tensor<128xf32>
    %f1 = tensor.splat %scale : tensor<128xf32>
    %ms = arith.mulf %mn, %f1 : tensor<128xf32>
    %f2 = tensor.splat %scale : tensor<128x32xf32>
    %x = arith.mulf %sm, %f2 : tensor<128x32xf32>
    %below = tile.broadcast %ms axis 1 : tensor<128xf32> -> tensor<128x32xf32>
    %less = arith.subf %x, %below : tensor<128x32xf32>
    %p = math.exp2 %less : tensor<128x32xf32>
    %f3 = tensor.splat %scale : tensor<128xf32>
    %mis = arith.mulf %mi, %f3 : tensor<128xf32>
    %diff = arith.subf %mis, %ms : tensor<128xf32>
    %rescale = math.exp2 %diff : tensor<128xf32>
    %lr = arith.mulf %li, %rescale : tensor<128xf32>
    %row = tile.reduce "add" %p axis 1 : tensor<128x32xf32> -> tensor<128xf32>
    %ln = arith.addf %lr, %row : tensor<128xf32>
    %ph = arith.truncf %p : tensor<128x32xf32> to tensor<128x32xf16>
    %v = tile.load %V[%h, %j, %c0] : !tile.view<?x?x128xf16> -> tensor<32x128xf16>
    %r2 = tile.broadcast %rescale axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %or = arith.mulf %oi, %r2 : tensor<128x128xf32>
    %on = tile.dot %ph, %v, %or : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %out = arith.divf %o, %l2 : tensor<128x128xf32>
  %outh = arith.truncf %out : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %outh, %O[%h, %m0, %c0] : tensor<128x128xf16>, !tile.view<?x?x128xf16>
  tile.return
}
