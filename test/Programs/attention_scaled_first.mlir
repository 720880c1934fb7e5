// Attention as it is most often written: scores are scaled, then masked, before their maximum; exponentials of e.
// The scale goes behind the maximum, whatever its sign is; zero gives every key the same weight.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: for s in 0.125 0.0 -0.125; do heddle run %s --device=emulate --interleavings=1 --scalars scale=$s || exit 1; done | FileCheck %s --check-prefix=ALL
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// ALL-COUNT-3: {{^}}verified
// CUDA: hd::fold<{{.*}}hd::Extreme{v
tile.kernel @attention_scaled_first(%Q: !tile.view<?x?x?x64xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
    %K: !tile.view<?x?x?x64xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
    %V: !tile.view<?x?x?x64xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "DV"]},
    %O: !tile.view<?x?x?x64xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "DV"]},
    %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
    %scale: f32 {tile.name = "scale", tile.default = 0.125 : f32})
    attributes {tile.default_dims = {B = 1, H = 2, S = 262, T = 300}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x64xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x64xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x64xf16>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x64xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q0 = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<128xf32>
  %neginf2 = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %zero1 = arith.constant dense<0.0> : tensor<128xf32>
  %zeroS = arith.constant dense<0.0> : tensor<128x128xf32>
  %zeroO = arith.constant dense<0.0> : tensor<128x64xf32>
  %scale1 = tensor.splat %scale : tensor<128xf32>
  %scale2 = tensor.splat %scale : tensor<128x128xf32>
  %rows = tile.iota : tensor<128xi32>
  %cols = tile.iota : tensor<128xi32>
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %moff = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %rows, %moff : tensor<128xi32>
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn
        iter_args(%mi = %neginf, %li = %zero1, %oi = %zeroO) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %v1 = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    %v2 = tile.transpose %v1 : tensor<128x64xf16> -> tensor<64x128xf16>
    %v3 = tile.dot %q0, %v2, %zeroS : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %v4 = arith.index_cast %j : index to i32
    %v5 = tensor.splat %v4 : tensor<128xi32>
    %v6 = arith.addi %cols, %v5 : tensor<128xi32>
    %v7 = arith.cmpi slt, %v6, %limit : tensor<128xi32>
    %v8 = tile.broadcast %v7 axis 0 : tensor<128xi1> -> tensor<128x128xi1>
    %v9 = arith.mulf %v3, %scale2 : tensor<128x128xf32>
    %v10 = arith.select %v8, %v9, %neginf2 : tensor<128x128xi1>, tensor<128x128xf32>
    %v11 = tile.reduce "max" %v10 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v12 = arith.maximumf %mi, %v11 : tensor<128xf32>
    %v13 = tile.broadcast %v12 axis 1 : tensor<128xf32> -> tensor<128x128xf32>
    %v14 = arith.subf %v10, %v13 : tensor<128x128xf32>
    %v15 = arith.subf %mi, %v12 : tensor<128xf32>
    %v16 = math.exp %v14 : tensor<128x128xf32>
    %v17 = math.exp %v15 : tensor<128xf32>
    %v18 = tile.reduce "add" %v16 axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %v19 = arith.mulf %li, %v17 : tensor<128xf32>
    %v20 = arith.addf %v19, %v18 : tensor<128xf32>
    %v21 = tile.broadcast %v17 axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %v22 = arith.mulf %oi, %v21 : tensor<128x64xf32>
    %v23 = arith.truncf %v16 : tensor<128x128xf32> to tensor<128x128xf16>
    %v24 = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    %v25 = tile.dot %v23, %v24, %v22 : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    scf.yield %v12, %v20, %v25 : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %v26 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %v27 = arith.divf %acc, %v26 : tensor<128x64xf32>
  %v28 = arith.truncf %v27 : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %v28, %O[%b, %h, %m0, %c0] : tensor<128x64xf16>, !tile.view<?x?x?x64xf16>
  %v29 = arith.constant dense<1.0> : tensor<128xf32>
  %v30 = arith.mulf %m, %v29 : tensor<128xf32>
  %v31 = math.log %l : tensor<128xf32>
  %v32 = arith.addf %v30, %v31 : tensor<128xf32>
  tile.store %v32, %LSE[%b, %h, %m0] : tensor<128xf32>, !tile.view<?x?x?xf32>
  tile.return
}
