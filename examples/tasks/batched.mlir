// C[z] = A[z] * B[z]^T for a batch of products: the product of gemm.mlir, whose grid has one more dimension. Only the
// entry differs: what happens in one tile does not know of the batch.

task.task @batched(C: write f16[Z, M, N], A: read f16[Z, M, K], B: read f16[Z, N, K])
    attributes {tile.default_dims = {Z = 2 : i64, M = 256 : i64, N = 256 : i64, K = 192 : i64}}
task.task @matmul(C: write f16[M, N], A: read f16[M, K], B: read f16[N, K])
task.task @gemm(C: read_write f32[M, N], A: read f16[M, K], B: read f16[N, K])
task.task @clear(C: write f32[M, N])
task.task @store(C: write f16[M, N], sum: read f32[M, N])

// The grid: a size of 1 takes the batch out of the pieces.
task.variant @host of @batched inner (%C, %A, %B) {
  %u = task.tunable "U" = 128 in [64, 128, 192, 256]
  %v = task.tunable "V" = 128 in [64, 96, 128, 160, 192, 256]
  %c = task.blocks %C [1, %u, %v]
  %a = task.blocks %A [1, %u, full]
  %b = task.blocks %B [1, %v, full]
  %z = task.count %c, 0
  %m = task.count %c, 1
  %n = task.count %c, 2
  task.prange (%h, %i, %j) to (%z, %m, %n) {
    %ci = task.piece %c[%h, %i, %j]
    %ai = task.piece %a[%h, %i, 0]
    %bj = task.piece %b[%h, %j, 0]
    task.launch @matmul(%ci, %ai, %bj)
  }
}

// One tile: an accumulator, K in steps of W, and the result rounded once.
task.variant @block of @matmul inner (%C, %A, %B) {
  %w = task.tunable "W" = 64 in [32, 64, 128]
  %rows = task.dim %C, 0
  %columns = task.dim %C, 1
  %acc = task.make_tensor [%rows, %columns] : f32
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
