// Softmax of rows by tasks of parts of a row: a pass for the statistics, in order, and one for the results.
task.task @softmax(y: write f16[M, N], x: read f16[M, N]) attributes {tile.default_dims = {M = 70 : i64, N = 256 : i64}}
task.task @stat(m: read_write f32[M], l: read_write f32[M], x: read f16[M, N], left: index)
task.task @init(m: write f32[M], l: write f32[M])
task.task @out(y: write f16[M, N], x: read f16[M, N], m: read f32[M], l: read f32[M])
task.variant @host of @softmax inner (%y, %x) {
  %u = task.tunable "U" = 8 in [4, 8, 16]
  %ys = task.blocks %y [%u, full]
  %xs = task.blocks %x [%u, full]
  %n = task.count %ys, 0
  task.prange (%i) to (%n) {
    %yi = task.piece %ys[%i, 0]
    %xi = task.piece %xs[%i, 0]
    task.launch @softmax(%yi, %xi)
  }
}
task.variant @block of @softmax inner (%y, %x) {
  %w = task.tunable "W" = 64 in [32, 64, 128]
  %rows = task.dim %y, 0
  %columns = task.dim %y, 1
  %m = task.make_tensor [%rows] : f32
  %l = task.make_tensor [%rows] : f32
  %ys = task.blocks %y [full, %w]
  %xs = task.blocks %x [full, %w]
  %n = task.count %xs, 1
  task.launch @init(%m, %l)
  task.srange (%j) to (%n) {
    %xj = task.piece %xs[0, %j]
    %first = arith.muli %j, %w : index
    %left = arith.subi %columns, %first : index
    task.launch @stat(%m, %l, %xj, %left : index)
  }
  task.prange (%j) to (%n) {
    %xj = task.piece %xs[0, %j]
    %yj = task.piece %ys[0, %j]
    task.launch @out(%yj, %xj, %m, %l)
  }
}
task.variant @init_leaf of @init leaf (%m: tensor<8xf32>, %l: tensor<8xf32>) {
  %n = arith.constant dense<0xFF800000> : tensor<8xf32>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  task.return %n, %z : tensor<8xf32>, tensor<8xf32>
}
task.variant @stat_leaf of @stat leaf (%m: tensor<8xf32>, %l: tensor<8xf32>, %x: tensor<8x64xf16>, %left: index) {
  %ninf = arith.constant dense<0xFF800000> : tensor<8x64xf32>
  %xf = arith.extf %x : tensor<8x64xf16> to tensor<8x64xf32>
  %left32 = arith.index_cast %left : index to i32
  %limit = tensor.splat %left32 : tensor<64xi32>
  %cols = tile.iota : tensor<64xi32>
  %in = arith.cmpi slt, %cols, %limit : tensor<64xi32>
  %in2 = tile.broadcast %in axis 0 : tensor<64xi1> -> tensor<8x64xi1>
  %xm = arith.select %in2, %xf, %ninf : tensor<8x64xi1>, tensor<8x64xf32>
  %rm = tile.reduce "max" %xm axis 1 : tensor<8x64xf32> -> tensor<8xf32>
  %mn = arith.maximumf %m, %rm : tensor<8xf32>
  %mb = tile.broadcast %mn axis 1 : tensor<8xf32> -> tensor<8x64xf32>
  %d = arith.subf %xm, %mb : tensor<8x64xf32>
  %e = math.exp %d : tensor<8x64xf32>
  %s = tile.reduce "add" %e axis 1 : tensor<8x64xf32> -> tensor<8xf32>
  %dm = arith.subf %m, %mn : tensor<8xf32>
  %a = math.exp %dm : tensor<8xf32>
  %la = arith.mulf %l, %a : tensor<8xf32>
  %ln = arith.addf %la, %s : tensor<8xf32>
  task.return %mn, %ln : tensor<8xf32>, tensor<8xf32>
}
task.variant @out_leaf of @out leaf (%y: tensor<8x64xf16>, %x: tensor<8x64xf16>, %m: tensor<8xf32>, %l: tensor<8xf32>) {
  %xf = arith.extf %x : tensor<8x64xf16> to tensor<8x64xf32>
  %mb = tile.broadcast %m axis 1 : tensor<8xf32> -> tensor<8x64xf32>
  %lb = tile.broadcast %l axis 1 : tensor<8xf32> -> tensor<8x64xf32>
  %d = arith.subf %xf, %mb : tensor<8x64xf32>
  %e = math.exp %d : tensor<8x64xf32>
  %q = arith.divf %e, %lb : tensor<8x64xf32>
  %r = arith.truncf %q : tensor<8x64xf32> to tensor<8x64xf16>
  task.return %r : tensor<8x64xf16>
}
