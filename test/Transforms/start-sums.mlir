// A product in a scheduled loop begins with a vector that is added to it.
// RUN: heddle-opt %s --heddle-start-sums | FileCheck %s
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: start_sums = true{{.*}}default: {{.*}}start_sums
// RUN: echo '{kernel = {start_sums = false}}' > %t.plan
// RUN: heddle compile %s --emit=plan --plan=%t.plan | FileCheck %s --check-prefix=SAYS
// SAYS: start_sums = false{{.*}}user: {{.*}}start_sums
// RUN: heddle compile %s --emit=cuda --plan=%t.plan | FileCheck %s --check-prefix=TEXT
// TEXT: plan: {kernel = {start_sums = false}}
// RUN: for P in true false; do echo "{kernel = {start_sums = $P}}" > %t.each; heddle run %s --device=sim --plan=%t.each || exit 1; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-2: {{^}}verified

// Products of 8-bit floats begin with zero.
// RUN: sed 's/xf16/xf8E4M3FN/g' %s > %t.eight && heddle compile %t.eight --emit=plan | FileCheck %s --check-prefix=EIGHT
// EIGHT-NOT: start_sums
tile.kernel @sums(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %R: !tile.view<?xf32> {tile.name = "R", tile.dims = ["M"]},
                  %C: !tile.view<?xf32> {tile.name = "C", tile.dims = ["N"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["M", "K"]})
    attributes {tile.default_dims = {M = 128, N = 256}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %rows = tile.dim %A, 0 : !tile.view<?x64xf16>
  %columns = tile.dim %B, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %bm : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %bm : index
  %a = tile.load %A[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %row = tile.load %R[%m0] : !tile.view<?xf32> -> tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %one = arith.constant dense<1.0> : tensor<128x64xf32>
  // CHECK: scf.for
  %most = scf.for %j = %c0 to %columns step %bn iter_args(%m = %zero) -> (tensor<128x64xf32>) {
    %b = tile.load %B[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    // Behind the product or before it, on either side:
    // CHECK: [[V:%.*]] = tile.load %arg3
    // CHECK: [[C:%.*]] = tile.broadcast [[V]] axis 0
    // CHECK: [[S:%.*]] = tile.dot {{.*}}, [[C]] :
    %s = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %v = tile.load %C[%j] : !tile.view<?xf32> -> tensor<64xf32>
    %c = tile.broadcast %v axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %t = arith.addf %c, %s : tensor<128x64xf32>
    // CHECK: [[R:%.*]] = tile.broadcast {{.*}} axis 1
    // CHECK: [[U:%.*]] = tile.dot {{.*}}, [[R]] :
    %r = tile.broadcast %row axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %p = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %u = arith.addf %p, %r : tensor<128x64xf32>
    // Not what begins with something else, what is read elsewhere, or a whole tile:
    // CHECK: [[W:%.*]] = tile.dot
    // CHECK: [[X:%.*]] = arith.addf [[W]], [[R]]
    %w = tile.dot %a, %bt, %one : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %x = arith.addf %w, %r : tensor<128x64xf32>
    // CHECK: [[Y:%.*]] = tile.dot
    // CHECK: arith.addf [[Y]], [[R]]
    // CHECK: arith.mulf {{.*}}, [[Y]]
    %y = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %z = arith.addf %y, %r : tensor<128x64xf32>
    %zz = arith.mulf %z, %y : tensor<128x64xf32>
    // What another product gives, and a vector more:
    // CHECK: [[D:%.*]] = tile.dot
    // CHECK: [[E:%.*]] = arith.mulf [[D]], [[R]]
    // CHECK: [[F:%.*]] = tile.dot {{.*}}, [[E]] :
    // CHECK: [[G:%.*]] = arith.addf [[F]], [[R]]
    %d = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %e = arith.mulf %d, %r : tensor<128x64xf32>
    %d2 = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %f = arith.addf %e, %d2 : tensor<128x64xf32>
    %g = arith.addf %f, %r : tensor<128x64xf32>
    %tu0 = arith.addf %t, %u : tensor<128x64xf32>
    %tu = arith.addf %tu0, %g : tensor<128x64xf32>
    %xz = arith.addf %x, %zz : tensor<128x64xf32>
    %all = arith.addf %tu, %xz : tensor<128x64xf32>
    %n = arith.maximumf %m, %all : tensor<128x64xf32>
    scf.yield %n : tensor<128x64xf32>
  }
  // CHECK: tile.store
  tile.store %most, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
