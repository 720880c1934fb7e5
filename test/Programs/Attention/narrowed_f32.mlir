// Attention in f32 with blocks of 128 keys, for which shared memory has no room: blocks are cut to 64. The plan says
// so, and makes the same kernel again.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --dims=B=1,H=1,S=70,T=100 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=plan > %t.plan
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.plan
// PLAN: retile = 64, narrow = true, {{.*}} // default: {{.*}} narrow, defer, depth,
// RUN: heddle compile %s --emit=cuda > %t.cu
// RUN: heddle compile %s --plan=%t.plan --emit=cuda > %t.again.cu
// RUN: grep -v "^//" %t.cu > %t.1
// RUN: grep -v "^//" %t.again.cu | diff %t.1 -
// RUN: echo '{kernel = {retile = 0}}' > %t.written
// RUN: not heddle compile %s --plan=%t.written --emit=cuda 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: error: infeasible: no schedule: memory 'smem'
tile.kernel @attention_f32(%Q: !tile.view<?x?x?x128xf32> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x128xf32> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x128xf32> {tile.name = "V", tile.dims = ["B", "H", "T", "DV"]},
    %O: !tile.view<?x?x?x128xf32> {tile.name = "O", tile.dims = ["B", "H", "S", "DV"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 1, H = 2, S = 198, T = 172}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xf32>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x128xf32>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf32>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x128xf32>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q0 = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x128xf32> -> tensor<128x128xf32>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroO = arith.constant dense<0.0> : tensor<128x128xf32>
  %scale1 = tensor.splat %scale : tensor<128xf32>
  %scale2 = tensor.splat %scale : tensor<128x128xf32>
  %rows = tile.iota : tensor<128xi32>
  %cols = tile.iota : tensor<128xi32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %moff = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %rows, %moff : tensor<128xi32>
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %v1 = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf32> -> tensor<128x128xf32>
    %v2 = tile.transpose %v1 : tensor<128x128xf32> -> tensor<128x128xf32>
    %v3 = tile.dot %q0, %v2, %zeroS : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
    %v4 = arith.index_cast %j : index to i32
    %v5 = tensor.splat %v4 : tensor<128xi32>
    %v6 = arith.addi %cols, %v5 : tensor<128xi32>
    %v7 = arith.cmpi slt, %v6, %limit : tensor<128xi32>
    %v8 = tile.broadcast %v7 axis 0 : tensor<128xi1> -> tensor<128x128xi1>
    %v9 = arith.select %v8, %v3, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    %v10 = tile.reduce "max" %v9 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v11 = arith.maximumf %mi, %v10 : tensor<128xf32>
    %v12 = arith.mulf %v11, %scale1 : tensor<128xf32>
    %v13 = arith.mulf %v9, %scale2 : tensor<128x128xf32>
    %v14 = tile.broadcast %v12 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v15 = arith.subf %v13, %v14 : tensor<128x128xf32>
    %v16 = arith.mulf %mi, %scale1 : tensor<128xf32>
    %v17 = arith.subf %v16, %v12 : tensor<128xf32>
    %v18 = math.exp2 %v15 : tensor<128x128xf32>
    %v19 = math.exp2 %v17 : tensor<128xf32>
    %v20 = tile.reduce "add" %v18 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v21 = arith.mulf %li, %v19 : tensor<128xf32>
    %v22 = arith.addf %v21, %v20 : tensor<128xf32>
    %v23 = tile.broadcast %v19 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v24 = arith.mulf %oi, %v23 : tensor<128x128xf32>
    %v25 = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf32> -> tensor<128x128xf32>
    %v26 = tile.dot %v18, %v25, %v24 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
    scf.yield %v11, %v22, %v26 : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %v27 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x128xf32>
  %v28 = arith.divf %acc, %v27 : tensor<128x128xf32>
  tile.store %v28, %O[%b, %h, %m0, %c0] : tensor<128x128xf32>, !tile.view<?x?x?x128xf32>
  %v29 = arith.mulf %m, %scale1 : tensor<128xf32>
  %v30 = arith.constant dense<0.69314718> : tensor<128xf32>
  %v31 = arith.mulf %v29, %v30 : tensor<128xf32>
  %v32 = math.log %l : tensor<128xf32>
  %v33 = arith.addf %v31, %v32 : tensor<128xf32>
  tile.store %v33, %LSE[%b, %h, %m0] : tensor<128xf32>, !tile.view<?x?x?xf32>
  tile.return
}
