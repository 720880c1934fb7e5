// A gated product in one pass over A: C = silu(A * G^T) * (A * B^T), with silu(x) = x / (1 + exp(-x)). Two products in
// the loop, which nothing orders; what is done with their sums happens before the store.

task.task @gated(C: write f16[M, N], A: read f16[M, K], B: read f16[N, K], G: read f16[N, K])
    attributes {tile.default_dims = {M = 256 : i64, N = 256 : i64, K = 192 : i64}}
task.task @gemm(C: read_write f32[M, N], A: read f16[M, K], B: read f16[N, K])
task.task @clear(C: write f32[M, N])
task.task @store(C: write f16[M, N], up: read f32[M, N], gate: read f32[M, N])

task.variant @host of @gated inner (%C, %A, %B, %G) {
  %u = task.tunable "U" = 128 in [64, 128, 192, 256]
  %v = task.tunable "V" = 128 in [64, 96, 128, 160, 192, 256]
  %c = task.blocks %C [%u, %v]
  %a = task.blocks %A [%u, full]
  %b = task.blocks %B [%v, full]
  %g = task.blocks %G [%v, full]
  %m = task.count %c, 0
  %n = task.count %c, 1
  task.prange (%i, %j) to (%m, %n) {
    %ci = task.piece %c[%i, %j]
    %ai = task.piece %a[%i, 0]
    %bj = task.piece %b[%j, 0]
    %gj = task.piece %g[%j, 0]
    task.launch @gated(%ci, %ai, %bj, %gj)
  }
}

task.variant @block of @gated inner (%C, %A, %B, %G) {
  %w = task.tunable "W" = 64 in [32, 64, 128]
  %rows = task.dim %C, 0
  %columns = task.dim %C, 1
  %up = task.make_tensor [%rows, %columns] : f32
  %gate = task.make_tensor [%rows, %columns] : f32
  %a = task.blocks %A [full, %w]
  %b = task.blocks %B [full, %w]
  %g = task.blocks %G [full, %w]
  %n = task.count %a, 1
  task.launch @clear(%up)
  task.launch @clear(%gate)
  task.srange (%k) to (%n) {
    %ak = task.piece %a[0, %k]
    %bk = task.piece %b[0, %k]
    %gk = task.piece %g[0, %k]
    task.launch @gemm(%up, %ak, %bk)
    task.launch @gemm(%gate, %ak, %gk)
  }
  task.launch @store(%C, %up, %gate)
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

task.variant @silu of @store leaf (%C: tensor<64x128xf16>, %up: tensor<64x128xf32>, %gate: tensor<64x128xf32>) {
  %one = arith.constant dense<1.0> : tensor<64x128xf32>
  %minus = arith.negf %gate : tensor<64x128xf32>
  %exp = math.exp %minus : tensor<64x128xf32>
  %below = arith.addf %one, %exp : tensor<64x128xf32>
  %silu = arith.divf %gate, %below : tensor<64x128xf32>
  %result = arith.mulf %silu, %up : tensor<64x128xf32>
  %c = arith.truncf %result : tensor<64x128xf32> to tensor<64x128xf16>
  task.return %c : tensor<64x128xf16>
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

task.variant @store_rows of @store inner (%C, %up, %gate) {
  %r = task.tunable "R" = 64 in [64, 128]
  %c = task.blocks %C [%r, full]
  %u = task.blocks %up [%r, full]
  %s = task.blocks %gate [%r, full]
  %groups = task.count %c, 0
  task.prange (%g) to (%groups) {
    %cg = task.piece %c[%g, 0]
    %ug = task.piece %u[%g, 0]
    %sg = task.piece %s[%g, 0]
    task.launch @store(%cg, %ug, %sg)
  }
}
