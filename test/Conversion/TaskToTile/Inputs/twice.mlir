// C = A * B^T, and behind it D = A * E^T: the tiles of one loop may take the places of those of the other.
task.task @matmul(C: write f16[M, N], D: write f16[M, N], A: read f16[M, K], B: read f16[N, K], E: read f16[N, K])
    attributes {tile.default_dims = {M = 256 : i64, N = 256 : i64, K = 192 : i64}}
task.task @gemm(C: read_write f32[M, N], A: read f16[M, K], B: read f16[N, K])
task.task @clear(C: write f32[M, N])
task.task @store(C: write f16[M, N], sum: read f32[M, N])

task.variant @host of @matmul inner (%C, %D, %A, %B, %E) {
  %u = task.tunable "U" = 128 in [64, 128, 192, 256]
  %v = task.tunable "V" = 256 in [64, 96, 128, 160, 176, 192, 208, 224, 256]
  %c = task.blocks %C [%u, %v]
  %a = task.blocks %A [%u, full]
  %d = task.blocks %D [%u, %v]
  %b = task.blocks %B [%v, full]
  %e = task.blocks %E [%v, full]
  %m = task.count %c, 0
  %n = task.count %c, 1
  task.prange (%i, %j) to (%m, %n) {
    %ci = task.piece %c[%i, %j]
    %ai = task.piece %a[%i, 0]
    %bj = task.piece %b[%j, 0]
    %di = task.piece %d[%i, %j]
    %ej = task.piece %e[%j, 0]
    task.launch @matmul(%ci, %di, %ai, %bj, %ej)
  }
}

task.variant @block of @matmul inner (%C, %D, %A, %B, %E) {
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
  %again = task.make_tensor [%rows, %columns] : f32
  %e = task.blocks %E [full, %w]
  task.launch @clear(%again)
  task.srange (%k) to (%n) {
    %ak = task.piece %a[0, %k]
    %ek = task.piece %e[0, %k]
    task.launch @gemm(%again, %ak, %ek)
  }
  task.launch @store(%D, %again)
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
