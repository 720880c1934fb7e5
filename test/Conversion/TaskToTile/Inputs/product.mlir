// A product in one block without warp groups: what `clear` and `gemm` have, warps and threads have of it.
task.task @block(D: write f32[64, 64], A: read f16[64, K], B: read f16[64, K])
    attributes {tile.default_dims = {K = 128 : i64}}
task.task @gemm(C: read_write f32[M, N], A: read f16[M, K], B: read f16[N, K])
task.task @clear(C: write f32[M, N])
task.task @store(D: write f32[M, N], C: read f32[M, N])

task.variant @block_steps of @block inner (%D, %A, %B) {
  %C = task.make_tensor [64, 64] : f32
  %a = task.blocks %A [full, 64]
  %b = task.blocks %B [full, 64]
  %n = task.count %a, 1
  task.launch @clear(%C)
  task.srange (%k) to (%n) {
    %ak = task.piece %a[0, %k]
    %bk = task.piece %b[0, %k]
    task.launch @gemm(%C, %ak, %bk)
  }
  task.launch @store(%D, %C)
}
task.variant @clear_inner of @clear inner (%C) {
  %pieces = task.tunable "PIECES" = 4 in [4, 32]
  %c = task.mma %C [m, n] into %pieces
  task.prange (%p) to (%pieces) {
    %cp = task.piece %c[%p]
    task.launch @clear(%cp)
  }
}
task.variant @clear_leaf of @clear leaf (%C: tensor<64x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  task.return %zero : tensor<64x64xf32>
}
task.variant @gemm_inner of @gemm inner (%C, %A, %B) {
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
task.variant @gemm_leaf of @gemm leaf (%C: tensor<64x64xf32>, %A: tensor<64x64xf16>, %B: tensor<64x64xf16>) {
  %bt = tile.transpose %B : tensor<64x64xf16> -> tensor<64x64xf16>
  %sum = tile.dot %A, %bt, %C : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  task.return %sum : tensor<64x64xf32>
}
task.variant @store_inner of @store inner (%D, %C) {
  %pieces = task.tunable "PIECES" = 4 in [4, 32]
  %d = task.mma %D [m, n] into %pieces
  %c = task.mma %C [m, n] into %pieces
  task.prange (%p) to (%pieces) {
    %dp = task.piece %d[%p]
    %cp = task.piece %c[%p]
    task.launch @store(%dp, %cp)
  }
}
task.variant @store_leaf of @store leaf (%D: tensor<64x64xf32>, %C: tensor<64x64xf32>) {
  task.return %C : tensor<64x64xf32>
}
