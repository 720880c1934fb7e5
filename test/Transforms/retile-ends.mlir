// What lies behind the end of a loop has to change nothing, infinite numbers neither: else another loop takes the rest.
// RUN: heddle-opt %s --heddle-retile-loops | FileCheck %s
// RUN: heddle run %s --kernel=reciprocals --device=sim --dims=M=130,N=130,K=96 | FileCheck %s --check-prefix=SAME
// RUN: heddle run %s --kernel=prior --device=sim --dims=T=192 | FileCheck %s --check-prefix=SAME
// RUN: heddle run %s --kernel=mlp --device=sim --dims=M=130,F=96 | FileCheck %s --check-prefix=SAME
// RUN: heddle run %s --kernel=triangle --device=sim --dims=M=192,N=130,K=192 | FileCheck %s --check-prefix=SAME
// RUN: heddle run %s --kernel=bytes --device=sim --dims=M=130,N=130,K=320 | FileCheck %s --check-prefix=SAME
// RUN: heddle run %s --kernel=weights --device=sim --dims=T=130,S=96 | FileCheck %s --check-prefix=SAME
// SAME: {{^}}verified

// Zero over zero is no number.
// CHECK-LABEL: tile.kernel @reciprocals
// CHECK: scf.for {{.*}} step %c64
// CHECK: scf.for {{.*}} step %c32
tile.kernel @reciprocals(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                         %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                         %R: !tile.view<?xf32> {tile.name = "R", tile.dims = ["K"]},
                         %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %bm = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %bk = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bm : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bm : index
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %bt = tile.transpose %b : tensor<128x32xf16> -> tensor<32x128xf16>
    %r = tile.load %R[%k] : !tile.view<?xf32> -> tensor<32xf32>
    %positive = math.absf %r : tensor<32xf32>
    %inverse = arith.divf %one, %positive : tensor<32xf32>
    %each = tile.broadcast %inverse axis 0 : tensor<32xf32> -> tensor<128x32xf32>
    %wide = arith.extf %a : tensor<128x32xf16> to tensor<128x32xf32>
    %scaled = arith.mulf %wide, %each : tensor<128x32xf32>
    %half = arith.truncf %scaled : tensor<128x32xf32> to tensor<128x32xf16>
    %next = tile.dot %half, %bt, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %C[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// What a program does not read may be anything, whatever it is multiplied by: B behind the diagonal.
// CHECK-LABEL: tile.kernel @triangle
// CHECK: scf.for {{.*}} step %c64
// CHECK: scf.for {{.*}} step %c32
tile.kernel @triangle(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                      %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                      %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %bm = arith.constant 96 : index
  %bn = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %bk = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<96x128xf32>
  %zeros = arith.constant dense<0.0> : tensor<96x32xf16>
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %end = arith.addi %m, %bm : index
  %m32 = arith.index_cast %m : index to i32
  %of = tensor.splat %m32 : tensor<96xi32>
  %range = tile.iota : tensor<96xi32>
  %row = arith.addi %range, %of : tensor<96xi32>
  %rows = tile.broadcast %row axis 1 : tensor<96xi32> -> tensor<96x32xi32>
  %positions = tile.iota : tensor<32xi32>
  %sum = scf.for %k = %c0 to %end step %bk iter_args(%acc = %zero) -> (tensor<96x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<96x32xf16>
    %k32 = arith.index_cast %k : index to i32
    %from = tensor.splat %k32 : tensor<32xi32>
    %at = arith.addi %positions, %from : tensor<32xi32>
    %columns = tile.broadcast %at axis 0 : tensor<32xi32> -> tensor<96x32xi32>
    %in = arith.cmpi sle, %columns, %rows : tensor<96x32xi32>
    %below = arith.select %in, %a, %zeros : tensor<96x32xi1>, tensor<96x32xf16>
    %b = tile.load %B[%k, %n] : !tile.view<?x?xf16> -> tensor<32x128xf16>
    %next = tile.dot %below, %b, %acc : tensor<96x32xf16>, tensor<32x128xf16>, tensor<96x128xf32>
    scf.yield %next : tensor<96x128xf32>
  }
  tile.store %sum, %C[%m, %n] : tensor<96x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// Two products with a function between them that is finite: whatever it is, V is zero behind its end.
// CHECK-LABEL: tile.kernel @mlp
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for
tile.kernel @mlp(%X: !tile.view<?x128xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                 %U: !tile.view<?x128xf16> {tile.name = "U", tile.dims = ["F", "D"]},
                 %V: !tile.view<?x128xf16> {tile.name = "V", tile.dims = ["F", "D"]},
                 %B: !tile.view<?xf32> {tile.name = "B", tile.dims = ["F"]},
                 %Y: !tile.view<?x128xf32> {tile.name = "Y", tile.dims = ["M", "D"]}) {
  %bm = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %bf = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %ones = arith.constant dense<1.0> : tensor<128x32xf32>
  %M = tile.dim %X, 0 : !tile.view<?x128xf16>
  %F = tile.dim %U, 0 : !tile.view<?x128xf16>
  %g = arith.ceildivui %M, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x128xf16> -> tensor<128x128xf16>
  %y = scf.for %f = %c0 to %F step %bf iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %u = tile.load %U[%f, %c0] : !tile.view<?x128xf16> -> tensor<32x128xf16>
    %ut = tile.transpose %u : tensor<32x128xf16> -> tensor<128x32xf16>
    %h = tile.dot %x, %ut, %zeros : tensor<128x128xf16>, tensor<128x32xf16>, tensor<128x32xf32>
    %b = tile.load %B[%f] : !tile.view<?xf32> -> tensor<32xf32>
    %bs = tile.broadcast %b axis 0 : tensor<32xf32> -> tensor<128x32xf32>
    %biased = arith.addf %h, %bs : tensor<128x32xf32>
    %minus = arith.negf %biased : tensor<128x32xf32>
    %e = math.exp %minus : tensor<128x32xf32>
    %more = arith.addf %ones, %e : tensor<128x32xf32>
    %silu = arith.divf %biased, %more : tensor<128x32xf32>
    %half = arith.truncf %silu : tensor<128x32xf32> to tensor<128x32xf16>
    %v = tile.load %V[%f, %c0] : !tile.view<?x128xf16> -> tensor<32x128xf16>
    %next = tile.dot %half, %v, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %y, %Y[%m, %c0] : tensor<128x128xf32>, !tile.view<?x128xf32>
  tile.return
}

// An exponential of zero less a statistic of the row may overflow, whatever it is multiplied by then.
// CHECK-LABEL: tile.kernel @unmasked
// CHECK: scf.for {{.*}} step %c32
// CHECK-NOT: scf.for
// CHECK-LABEL: tile.kernel @prior
tile.kernel @unmasked(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                      %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                      %L: !tile.view<?xf32> {tile.name = "L", tile.dims = ["S"]},
                      %G: !tile.view<?x64xf32> {tile.name = "G", tile.dims = ["S", "D"]}) {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 32 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %l = tile.load %L[%m] : !tile.view<?xf32> -> tensor<128xf32>
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x32xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %sum = scf.for %j = %c0 to %T step %bn iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
    %kt = tile.transpose %k : tensor<32x64xf16> -> tensor<64x32xf16>
    %s = tile.dot %q, %kt, %zeros : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %x = arith.subf %s, %l2 : tensor<128x32xf32>
    %e = math.exp %x : tensor<128x32xf32>
    %h = arith.truncf %e : tensor<128x32xf32> to tensor<128x32xf16>
    %next = tile.dot %h, %k, %acc : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum, %G[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// -inf plus the logarithm of what is behind the end of P. The size of the mask may stand in the loop.
// CHECK: scf.for {{.*}} step %c128
// CHECK: scf.for {{.*}} step %c64
// CHECK-LABEL: tile.kernel @no_prior
// CHECK: scf.for {{.*}} step %c128
// CHECK-NOT: scf.for
// CHECK-LABEL: tile.kernel @bytes
tile.kernel @prior(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                   %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                   %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["T", "D"]},
                   %P: !tile.view<?xf32> {tile.name = "P", tile.dims = ["T"]},
                   %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 130 : i64, T = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m0 = arith.muli %p, %bm : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %masked = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %range = tile.iota : tensor<64xi32>
  %m, %l, %o = scf.for %j = %c0 to %T step %bn iter_args(%mi = %least, %li = %zero, %oi = %zeros)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zeros : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %size = tile.dim %K, 0 : !tile.view<?x64xf16>
    %t = arith.index_cast %size : index to i32
    %end = tensor.splat %t : tensor<64xi32>
    %j32 = arith.index_cast %j : index to i32
    %from = tensor.splat %j32 : tensor<64xi32>
    %at = arith.addi %range, %from : tensor<64xi32>
    %is = arith.cmpi slt, %at, %end : tensor<64xi32>
    %in = tile.broadcast %is axis 0 : tensor<64xi1> -> tensor<128x64xi1>
    %sm = arith.select %in, %s, %masked : tensor<128x64xi1>, tensor<128x64xf32>
    %prior = tile.load %P[%j] : !tile.view<?xf32> -> tensor<64xf32>
    %weight = math.absf %prior : tensor<64xf32>
    %logs = math.log %weight : tensor<64xf32>
    %more = tile.broadcast %logs axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %x = arith.addf %sm, %more : tensor<128x64xf32>
    %top = tile.reduce "max" %x axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %top : tensor<128xf32>
    %below = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %less = arith.subf %x, %below : tensor<128x64xf32>
    %e = math.exp %less : tensor<128x64xf32>
    %diff = arith.subf %mi, %mn : tensor<128xf32>
    %rescale = math.exp %diff : tensor<128xf32>
    %row = tile.reduce "add" %e axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %lr = arith.mulf %li, %rescale : tensor<128xf32>
    %ln = arith.addf %lr, %row : tensor<128xf32>
    %r2 = tile.broadcast %rescale axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %or = arith.mulf %oi, %r2 : tensor<128x64xf32>
    %eh = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %eh, %v, %or : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %out = arith.divf %o, %l2 : tensor<128x64xf32>
  tile.store %out, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

tile.kernel @no_prior(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                      %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                      %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["T", "D"]},
                      %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 130 : i64, T = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m0 = arith.muli %p, %bm : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %masked = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %range = tile.iota : tensor<64xi32>
  %m, %l, %o = scf.for %j = %c0 to %T step %bn iter_args(%mi = %least, %li = %zero, %oi = %zeros)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zeros : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %size = tile.dim %K, 0 : !tile.view<?x64xf16>
    %t = arith.index_cast %size : index to i32
    %end = tensor.splat %t : tensor<64xi32>
    %j32 = arith.index_cast %j : index to i32
    %from = tensor.splat %j32 : tensor<64xi32>
    %at = arith.addi %range, %from : tensor<64xi32>
    %is = arith.cmpi slt, %at, %end : tensor<64xi32>
    %in = tile.broadcast %is axis 0 : tensor<64xi1> -> tensor<128x64xi1>
    %sm = arith.select %in, %s, %masked : tensor<128x64xi1>, tensor<128x64xf32>
    %top = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %top : tensor<128xf32>
    %below = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %less = arith.subf %sm, %below : tensor<128x64xf32>
    %e = math.exp %less : tensor<128x64xf32>
    %diff = arith.subf %mi, %mn : tensor<128xf32>
    %rescale = math.exp %diff : tensor<128xf32>
    %row = tile.reduce "add" %e axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %lr = arith.mulf %li, %rescale : tensor<128xf32>
    %ln = arith.addf %lr, %row : tensor<128xf32>
    %r2 = tile.broadcast %rescale axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %or = arith.mulf %oi, %r2 : tensor<128x64xf32>
    %eh = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %eh, %v, %or : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %out = arith.divf %o, %l2 : tensor<128x64xf32>
  tile.store %out, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// A position in eight bits is one of a block: it does not tell the blocks apart.
// CHECK: scf.for {{.*}} step %c32
// CHECK-NOT: scf.for
tile.kernel @bytes(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %bm = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %bk = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %range = tile.iota : tensor<32xi32>
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bm : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bm : index
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %bt = tile.transpose %b : tensor<128x32xf16> -> tensor<32x128xf16>
    %k32 = arith.index_cast %k : index to i32
    %k8 = arith.trunci %k32 : i32 to i8
    %cut = arith.extsi %k8 : i8 to i32
    %from = tensor.splat %cut : tensor<32xi32>
    %at = arith.addi %range, %from : tensor<32xi32>
    %number = arith.sitofp %at : tensor<32xi32> to tensor<32xf32>
    %each = tile.broadcast %number axis 0 : tensor<32xf32> -> tensor<128x32xf32>
    %wide = arith.extf %a : tensor<128x32xf16> to tensor<128x32xf32>
    %scaled = arith.mulf %wide, %each : tensor<128x32xf32>
    %half = arith.truncf %scaled : tensor<128x32xf32> to tensor<128x32xf16>
    %next = tile.dot %half, %bt, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %C[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// Scores of zero, some of them masked by their row, have exponentials of zero or one, which multiply zeros there.
// CHECK-LABEL: tile.kernel @weights
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @weights(%K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                     %Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                     %L: !tile.view<?xf32> {tile.name = "L", tile.dims = ["S"]},
                     %O: !tile.view<?x64xf16> {tile.name = "O", tile.dims = ["S", "D"]},
                     %V: !tile.view<?x64xf32> {tile.name = "V", tile.dims = ["T", "D"]}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %bt = arith.constant 64 : index
  %none = arith.constant dense<0xFF800000> : tensor<64x32xf32>
  %no = arith.constant dense<0.0> : tensor<64x32xf32>
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32>
  %log2e = arith.constant dense<1.44269502> : tensor<64x32xf32>
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %T, %bt : index
  tile.grid %programs
  %p = tile.program_id 0
  %t = arith.muli %p, %bt : index
  %k = tile.load %K[%t, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %t32 = arith.index_cast %t : index to i32
  %T32 = arith.index_cast %T : index to i32
  %from = tensor.splat %t32 : tensor<64xi32>
  %end = tensor.splat %T32 : tensor<64xi32>
  %counts = tile.iota : tensor<64xi32>
  %rows = arith.addi %counts, %from : tensor<64xi32>
  %in = arith.cmpi slt, %rows, %end : tensor<64xi32>
  %inside = tile.broadcast %in axis 1 : tensor<64xi1> -> tensor<64x32xi1>
  %sum = scf.for %s = %c0 to %S step %c32 iter_args(%acc = %nothing) -> (tensor<64x64xf32>) {
    %q = tile.load %Q[%s, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
    %l = tile.load %L[%s] : !tile.view<?xf32> -> tensor<32xf32>
    %o = tile.load %O[%s, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
    %qt = tile.transpose %q : tensor<32x64xf16> -> tensor<64x32xf16>
    %scores = tile.dot %k, %qt, %no : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    %capped = math.tanh %scores : tensor<64x32xf32>
    %masked = arith.select %inside, %capped, %none : tensor<64x32xi1>, tensor<64x32xf32>
    %scaled = arith.mulf %masked, %log2e : tensor<64x32xf32>
    %each = tile.broadcast %l axis 0 : tensor<32xf32> -> tensor<64x32xf32>
    %less = arith.subf %scaled, %each : tensor<64x32xf32>
    %e = math.exp2 %less : tensor<64x32xf32>
    %w = arith.truncf %e : tensor<64x32xf32> to tensor<64x32xf16>
    %next = tile.dot %w, %o, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %V[%t, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
