// C = A * B^T and R[m] = sum over k of A[m, k], as rowsum.mlir, but each element of A is added once: the tiles of a row
// of tiles share the steps of K, and each adds the sum of its own steps to R, in a loop behind its product.

task.task @product_rowsum(C: write f16[M, N], R: reduce f32[M], A: read f16[M, K], B: read f16[N, K])
    attributes {tile.default_dims = {M = 256 : i64, N = 256 : i64, K = 192 : i64}}
task.task @tile_rowsum(C: write f16[M, N], R: reduce f32[M], A: read f16[M, K], B: read f16[N, K], tile: index,
                       tiles: index)
task.task @gemm(C: read_write f32[M, N], A: read f16[M, K], B: read f16[N, K])
task.task @sum(y: read_write f32[M], A: read f16[M, K])
task.task @clear(C: write f32[M, N])
task.task @clear_sum(y: write f32[M])
task.task @store(C: write f16[M, N], sum: read f32[M, N])
task.task @add_share(R: reduce f32[M], y: read f32[M])

task.variant @host of @product_rowsum inner (%C, %R, %A, %B) {
  %u = task.tunable "U" = 128 in [64, 128, 192, 256]
  %v = task.tunable "V" = 128 in [64, 128, 192, 256]
  %c = task.blocks %C [%u, %v]
  %r = task.blocks %R [%u]
  %a = task.blocks %A [%u, full]
  %b = task.blocks %B [%v, full]
  %m = task.count %c, 0
  %n = task.count %c, 1
  task.prange (%i, %j) to (%m, %n) {
    %ci = task.piece %c[%i, %j]
    %ri = task.piece %r[%i]
    %ai = task.piece %a[%i, 0]
    %bj = task.piece %b[%j, 0]
    task.launch @tile_rowsum(%ci, %ri, %ai, %bj, %j : index, %n : index)
  }
}

task.variant @block of @tile_rowsum inner (%C, %R, %A, %B, %tile: index, %tiles: index) {
  %w = task.tunable "W" = 64 in [32, 64, 128]
  %rows = task.dim %C, 0
  %columns = task.dim %C, 1
  %acc = task.make_tensor [%rows, %columns] : f32
  %y = task.make_tensor [%rows] : f32
  %a = task.blocks %A [full, %w]
  %b = task.blocks %B [full, %w]
  %n = task.count %a, 1
  task.launch @clear(%acc)
  task.srange (%k) to (%n) {
    %ak = task.piece %a[0, %k]
    %bk = task.piece %b[0, %k]
    task.launch @gemm(%acc, %ak, %bk)
  }
  task.launch @store(%C, %acc)
  // Steps tile, tile + tiles, ...: those past the end read zeros. Their size is no choice: it decides whose share is
  // what.
  %steps = task.blocks %A [full, 64]
  %all = task.count %steps, 1
  %share = arith.ceildivui %all, %tiles : index
  task.launch @clear_sum(%y)
  task.srange (%k) to (%share) {
    %before = arith.muli %k, %tiles : index
    %at = arith.addi %before, %tile : index
    %ak = task.piece %steps[0, %at]
    task.launch @sum(%y, %ak)
  }
  task.launch @add_share(%R, %y)
}

// Rows for each warp group.
task.variant @tile of @gemm inner (%C, %A, %B) {
  %r = task.tunable "R" = 64 in [64, 128]
  %c = task.blocks %C [%r, full]
  %a = task.blocks %A [%r, full]
  %groups = task.count %c, 0
  task.prange (%g) to (%groups) {
    %cg = task.piece %c[%g, 0]
    %ag = task.piece %a[%g, 0]
    task.launch @gemm(%cg, %ag, %B)
  }
}

// The tensor core's operands: PIECES = 4 for the warps of a warp group, then 32 for the threads of a warp.
task.variant @inner of @gemm inner (%C, %A, %B) {
  %pieces = task.tunable "PIECES" = 4 in [4, 32]
  %c = task.mma %C [m, n] into %pieces
  %a = task.mma %A [m, k] into %pieces
  %b = task.mma %B [n, k] into %pieces
  task.prange (%p) to (%pieces) {
    %cp = task.piece %c[%p]
    %ap = task.piece %a[%p]
    %bp = task.piece %b[%p]
    task.launch @gemm(%cp, %ap, %bp)
  }
}

task.variant @product of @gemm leaf (%C: tensor<64x256xf32>, %A: tensor<64x64xf16>, %B: tensor<256x64xf16>) {
  %bt = tile.transpose %B : tensor<256x64xf16> -> tensor<64x256xf16>
  %sum = tile.dot %A, %bt, %C : tensor<64x64xf16>, tensor<64x256xf16>, tensor<64x256xf32>
  task.return %sum : tensor<64x256xf32>
}

task.variant @zero of @clear leaf (%C: tensor<64x256xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  task.return %zero : tensor<64x256xf32>
}

task.variant @round of @store leaf (%C: tensor<64x256xf16>, %sum: tensor<64x256xf32>) {
  %c = arith.truncf %sum : tensor<64x256xf32> to tensor<64x256xf16>
  task.return %c : tensor<64x256xf16>
}

task.variant @row_sums of @sum leaf (%y: tensor<64xf32>, %A: tensor<64x64xf16>) {
  %wide = arith.extf %A : tensor<64x64xf16> to tensor<64x64xf32>
  %part = tile.reduce "add" %wide axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %next = arith.addf %y, %part : tensor<64xf32>
  task.return %next : tensor<64xf32>
}

task.variant @zero_sum of @clear_sum leaf (%y: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero : tensor<64xf32>
}

task.variant @share of @add_share leaf (%R: tensor<64xf32>, %y: tensor<64xf32>) {
  task.return %y : tensor<64xf32>
}

// Rows of a tile for each warp group, for the tasks beside the product.
task.variant @clear_rows of @clear inner (%C) {
  %r = task.tunable "R" = 64 in [64, 128]
  %c = task.blocks %C [%r, full]
  %groups = task.count %c, 0
  task.prange (%g) to (%groups) {
    %cg = task.piece %c[%g, 0]
    task.launch @clear(%cg)
  }
}

task.variant @store_rows of @store inner (%C, %sum) {
  %r = task.tunable "R" = 64 in [64, 128]
  %c = task.blocks %C [%r, full]
  %s = task.blocks %sum [%r, full]
  %groups = task.count %c, 0
  task.prange (%g) to (%groups) {
    %cg = task.piece %c[%g, 0]
    %sg = task.piece %s[%g, 0]
    task.launch @store(%cg, %sg)
  }
}

task.variant @sum_rows of @sum inner (%y, %A) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ys = task.blocks %y [%r]
  %a = task.blocks %A [%r, full]
  %groups = task.count %ys, 0
  task.prange (%g) to (%groups) {
    %yg = task.piece %ys[%g]
    %ag = task.piece %a[%g, 0]
    task.launch @sum(%yg, %ag)
  }
}

task.variant @clear_sum_rows of @clear_sum inner (%y) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ys = task.blocks %y [%r]
  %groups = task.count %ys, 0
  task.prange (%g) to (%groups) {
    %yg = task.piece %ys[%g]
    task.launch @clear_sum(%yg)
  }
}

task.variant @add_share_rows of @add_share inner (%R, %y) {
  %r = task.tunable "R" = 64 in [64, 128]
  %rs = task.blocks %R [%r]
  %ys = task.blocks %y [%r]
  %groups = task.count %ys, 0
  task.prange (%g) to (%groups) {
    %rg = task.piece %rs[%g]
    %yg = task.piece %ys[%g]
    task.launch @add_share(%rg, %yg)
  }
}
