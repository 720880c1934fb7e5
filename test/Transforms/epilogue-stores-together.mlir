// The gradients of a gated activation: three stores share the sigmoid of a tile that is loaded, and are computed and
// stored together, in parts of their columns. Each part takes the factors of rows whole, so that what else stores these
// is no store of parts.
// Whole, ptxas stored 4624 bytes of registers: by default it runs in parts.
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: parts = {{\[}}32, 2]
// RUN: echo '{kernel = {parts = 32}}' > %t.plan
// RUN: heddle compile %s --plan=%t.plan --emit=warp | FileCheck %s --check-prefix=PARTS
// RUN: heddle run %s --plan=%t.plan --device=sim | FileCheck %s
// RUN: heddle run %s --plan=%t.plan --dims M=17,F=136,K=8 --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// PARTS: warp.group @compute0
// PARTS-COUNT-8: math.exp {{.*}}tensor<64x32xf32
// PARTS-NOT: math.exp
// PARTS: warp.group @compute1
// Two stores to one view stay where they are: their parts would change places.
// RUN: sed 's/tile.store %hidden, %H/tile.store %hidden, %dU/' %s > %t.same
// RUN: not heddle compile %t.same --plan=%t.plan --emit=warp 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: plan: expected rows or tiles that are loaded for what is stored behind products
// So do those with another access between them.
// RUN: sed 's/  [/][/] between/  tile.store %c, %C[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>/' %s > %t.between
// RUN: not heddle compile %t.between --plan=%t.plan --emit=warp 2>&1 | FileCheck %s --check-prefix=SAME
tile.kernel @swiglu_gradients(%dY: !tile.view<?x?xbf16> {tile.name = "dY", tile.dims = ["M", "K"]},
                              %W: !tile.view<?x?xbf16> {tile.name = "W", tile.dims = ["K", "F"]},
                              %G: !tile.view<?x?xbf16> {tile.name = "G", tile.dims = ["M", "F"]},
                              %U: !tile.view<?x?xbf16> {tile.name = "U", tile.dims = ["M", "F"]},
                              %dG: !tile.view<?x?xbf16> {tile.name = "dG", tile.dims = ["M", "F"]},
                              %dU: !tile.view<?x?xbf16> {tile.name = "dU", tile.dims = ["M", "F"]},
                              %H: !tile.view<?x?xbf16> {tile.name = "H", tile.dims = ["M", "F"]},
                              %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "F"]},
                              %S: !tile.view<?xf32> {tile.name = "S", tile.dims = ["M"]},
                              %R: !tile.view<?xf32> {tile.name = "R", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 200 : i64, F = 264 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %bk = arith.constant 64 : index
  %M = tile.dim %dY, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %dY, 1 : !tile.view<?x?xbf16>
  %F = tile.dim %W, 1 : !tile.view<?x?xbf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %F, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %one = arith.constant dense<1.0> : tensor<128x256xf32>
  %c = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %a = tile.load %dY[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %w = tile.load %W[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x256xbf16>
    %next = tile.dot %a, %w, %sum : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %g16 = tile.load %G[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
  %g = arith.extf %g16 : tensor<128x256xbf16> to tensor<128x256xf32>
  %u16 = tile.load %U[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
  %u = arith.extf %u16 : tensor<128x256xbf16> to tensor<128x256xf32>
  %minus = arith.negf %g : tensor<128x256xf32>
  %e = math.exp %minus : tensor<128x256xf32>
  %e1 = arith.addf %e, %one : tensor<128x256xf32>
  %s = arith.divf %one, %e1 : tensor<128x256xf32>
  %silu = arith.mulf %g, %s : tensor<128x256xf32>
  %rest = arith.subf %one, %s : tensor<128x256xf32>
  %inner = arith.mulf %silu, %rest : tensor<128x256xf32>
  %slope = arith.addf %s, %inner : tensor<128x256xf32>
  %cu = arith.mulf %c, %u : tensor<128x256xf32>
  %whole = arith.mulf %cu, %slope : tensor<128x256xf32>
  %row = tile.load %S[%m] : !tile.view<?xf32> -> tensor<128xf32>
  %twice = arith.addf %row, %row : tensor<128xf32>
  %rows = tile.broadcast %twice axis 1 : tensor<128xf32> -> tensor<128x256xf32>
  %dg32 = arith.mulf %whole, %rows : tensor<128x256xf32>
  %dg = arith.truncf %dg32 : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %dg, %dG[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  // between
  %du32 = arith.mulf %c, %silu : tensor<128x256xf32>
  %du = arith.truncf %du32 : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %du, %dU[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  %h32 = arith.mulf %silu, %u : tensor<128x256xf32>
  %hidden = arith.truncf %h32 : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %hidden, %H[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  tile.store %twice, %R[%m] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
