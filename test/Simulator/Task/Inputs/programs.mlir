// Task programs for run.test, each the entry of its name.

task.task @copy(x: write f32[M], y: read f32[M])
task.variant @copied of @copy leaf (%x: tensor<64xf32>, %y: tensor<64xf32>) {
  task.return %y : tensor<64xf32>
}
task.task @add(x: reduce f32[M], y: read f32[M])
task.variant @added of @add leaf (%x: tensor<64xf32>, %y: tensor<64xf32>) {
  task.return %y : tensor<64xf32>
}

// Copies the first pieces only: right where they are halves, as written.
task.task @differ(x: write f32[M], y: read f32[M]) attributes {tile.default_dims = {M = 128 : i64}}
task.variant @one of @differ leaf (%x: tensor<64xf32>, %y: tensor<64xf32>) {
  task.return %y : tensor<64xf32>
}
task.variant @halves of @differ inner (%x, %y) {
  %part = task.tunable "PART" = 64 in [32, 64]
  %xs = task.blocks %x [%part]
  %ys = task.blocks %y [%part]
  %two = arith.constant 2 : index
  task.prange (%i) to (%two) {
    %xi = task.piece %xs[%i]
    %yi = task.piece %ys[%i]
    task.launch @differ(%xi, %yi)
  }
}

task.task @idle(x: read f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @idle_leaf of @idle leaf (%x: tensor<64xf32>) {
  task.return
}
task.variant @idle_inner of @idle inner (%x) {
  task.launch @idle(%x)
}

// Sums of rows in two orders; a scalar decides whether they are doubled.
task.task @sums(s: reduce f32[M], x: read f32[M, N], twice: i32 = 1)
    attributes {tile.default_dims = {M = 32 : i64, N = 48 : i64}}
task.variant @sums_leaf of @sums leaf (%s: tensor<16xf32>, %x: tensor<16x8xf32>, %twice: i32) {
  %zero = arith.constant 0 : i32
  %doubled = arith.cmpi ne, %twice, %zero : i32
  %sum = tile.reduce "add" %x axis 1 : tensor<16x8xf32> -> tensor<16xf32>
  %r = scf.if %doubled -> (tensor<16xf32>) {
    %both = arith.addf %sum, %sum : tensor<16xf32>
    scf.yield %both : tensor<16xf32>
  } else {
    scf.yield %sum : tensor<16xf32>
  }
  task.return %r : tensor<16xf32>
}
task.variant @sums_columns of @sums inner (%s, %x, %twice: i32) {
  %part = task.tunable "PART" = 16 in [8, 16, 20]
  %xs = task.blocks %x [full, %part]
  %n = task.count %xs, 1
  task.prange (%j) to (%n) {
    %xj = task.piece %xs[0, %j]
    task.launch @sums(%s, %xj, %twice : i32)
  }
}

task.task @unequal(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @unequal_inner of @unequal inner (%x) {
  %y = task.make_tensor [32] : f32
  task.launch @copy(%x, %y)
}

task.task @wants128(x: read f32[128])
task.variant @wants128_leaf of @wants128 leaf (%x: tensor<128xf32>) {
  task.return
}
task.task @number(x: read f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @number_inner of @number inner (%x) {
  task.launch @wants128(%x)
}

task.task @unwritten(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @unwritten_inner of @unwritten inner (%x) {
  %y = task.make_tensor [64] : f32
  task.launch @copy(%x, %y)
}

task.task @unadded(x: read f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @unadded_inner of @unadded inner (%x) {
  %y = task.make_tensor [64] : f32
  task.launch @add(%y, %x)
}

task.task @clear(x: write f32[M, N])
task.variant @cleared of @clear leaf (%x: tensor<64x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  task.return %zero : tensor<64x64xf32>
}
task.task @pieces(x: write f32[M, N]) attributes {tile.default_dims = {M = 64 : i64, N = 64 : i64}}
task.variant @pieces_inner of @pieces inner (%x) {
  %p = task.tunable "P" = 8
  %xs = task.mma %x [m, n] into %p
  %n = task.count %xs, 0
  task.prange (%i) to (%n) {
    %xi = task.piece %xs[%i]
    task.launch @clear(%xi)
  }
}

task.task @beyond(x: write f32[M, N]) attributes {tile.default_dims = {M = 64 : i64, N = 64 : i64}}
task.variant @beyond_inner of @beyond inner (%x) {
  %xs = task.mma %x [m, n] into 4
  %x4 = task.piece %xs[4]
  task.launch @clear(%x4)
}

task.task @rows(x: write f32[M, N]) attributes {tile.default_dims = {M = 96 : i64, N = 64 : i64}}
task.variant @rows_inner of @rows inner (%x) {
  %xs = task.mma %x [m, n] into 4
  %x0 = task.piece %xs[0]
  task.launch @clear(%x0)
}

task.task @empty(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @empty_inner of @empty inner (%x) {
  %zero = arith.constant 0 : index
  %xs = task.blocks %x [%zero]
  %x0 = task.piece %xs[0]
}

task.task @counted(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @counted_inner of @counted inner (%x) {
  %zero = arith.constant 0 : index
  %xs = task.blocks %x [%zero]
  %n = task.count %xs, 0
}

task.task @made(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @made_inner of @made inner (%x) {
  %less = arith.constant -1 : index
  %t = task.make_tensor [%less] : f32
}

task.task @odd(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @odd_inner of @odd inner (%x) {
  %t = task.make_tensor [4] : i7
}

task.task @large(x: write f32[M]) attributes {tile.default_dims = {M = 64 : i64}}
task.variant @large_inner of @large inner (%x) {
  %t = task.make_tensor [65536, 65536] : f32
}

// A leaf that is written for four elements.
task.task @fixed(x: write f32[M]) attributes {tile.default_dims = {M = 128 : i64}}
task.variant @fixed_leaf of @fixed leaf (%x: tensor<4xf32>) {
  %r = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  task.return %r : tensor<4xf32>
}
