// Three tensors in shared memory, one after the other.
task.task @phases(y: write f32[64, 64], a: read f32[64, 64], b: read f32[64, 64], c: read f32[64, 64])
task.task @begin(t: write f32[M, N], x: read f32[M, N])
task.task @add(t: read_write f32[M, N], x: read f32[M, N])
task.task @store(y: write f32[M, N], t: read f32[M, N])

task.variant @one_by_one of @phases inner (%y, %a, %b, %c) {
  %t = task.make_tensor [64, 64] : f32
  task.launch @begin(%t, %a)
  task.launch @add(%t, %b)
  task.launch @add(%t, %c)
  task.launch @store(%y, %t)
}
task.variant @begin_leaf of @begin leaf (%t: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  task.return %x : tensor<64x64xf32>
}
task.variant @add_leaf of @add leaf (%t: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  %sum = arith.addf %t, %x : tensor<64x64xf32>
  task.return %sum : tensor<64x64xf32>
}
task.variant @store_leaf of @store leaf (%y: tensor<64x64xf32>, %t: tensor<64x64xf32>) {
  task.return %t : tensor<64x64xf32>
}
