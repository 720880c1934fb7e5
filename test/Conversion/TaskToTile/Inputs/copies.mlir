// Two tasks one after the other on one temporary, and two that read the same: what is left of the copies between them
// depends on how they divide it and on where the mapping puts it.
task.task @pair(y: write f32[64, 64], z: write f32[64, 64], x: read f32[64, K])
    attributes {tile.default_dims = {K = 256 : i64}}
task.task @first(t: read_write f32[M, N], x: read f32[M, N])
task.task @second(y: write f32[M, N], t: read f32[M, N])
task.task @begin(t: write f32[M, N])

task.variant @both of @pair inner (%y, %z, %x) {
  %t = task.make_tensor [64, 64] : f32
  %xs = task.blocks %x [full, 64]
  %n = task.count %xs, 1
  task.launch @begin(%t)
  task.srange (%k) to (%n) {
    %xk = task.piece %xs[0, %k]
    task.launch @first(%t, %xk)
    task.launch @first(%t, %xk)
  }
  task.launch @second(%y, %t)
  task.launch @second(%z, %t)
}

task.variant @begin_rows of @begin inner (%t) {
  %ts = task.blocks %t [16, full]
  %warps = task.count %ts, 0
  task.prange (%w) to (%warps) {
    %tw = task.piece %ts[%w, 0]
    task.launch @begin(%tw)
  }
}
task.variant @first_rows of @first inner (%t, %x) {
  %ts = task.blocks %t [16, full]
  %xs = task.blocks %x [16, full]
  %warps = task.count %ts, 0
  task.prange (%w) to (%warps) {
    %tw = task.piece %ts[%w, 0]
    %xw = task.piece %xs[%w, 0]
    task.launch @first(%tw, %xw)
  }
}
task.variant @second_rows of @second inner (%y, %t) {
  %ts = task.blocks %t [16, full]
  %ys = task.blocks %y [16, full]
  %warps = task.count %ts, 0
  task.prange (%w) to (%warps) {
    %tw = task.piece %ts[%w, 0]
    %yw = task.piece %ys[%w, 0]
    task.launch @second(%yw, %tw)
  }
}
task.variant @second_columns of @second inner (%y, %t) {
  %ts = task.blocks %t [full, 16]
  %ys = task.blocks %y [full, 16]
  %warps = task.count %ts, 1
  task.prange (%w) to (%warps) {
    %tw = task.piece %ts[0, %w]
    %yw = task.piece %ys[0, %w]
    task.launch @second(%yw, %tw)
  }
}
task.variant @zero of @begin leaf (%t: tensor<64x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  task.return %zero : tensor<64x64xf32>
}
task.variant @add of @first leaf (%t: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  %sum = arith.addf %t, %x : tensor<64x64xf32>
  task.return %sum : tensor<64x64xf32>
}
task.variant @copy of @second leaf (%y: tensor<64x64xf32>, %t: tensor<64x64xf32>) {
  task.return %t : tensor<64x64xf32>
}
