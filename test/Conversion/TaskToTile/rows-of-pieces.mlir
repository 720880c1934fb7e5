// A row that is computed from the variable of a range over warp groups is another one for each group, and positions
// begin at zero in each group's piece: together they are positions of the block's tile. Alone, a group's positions are
// those of the tile modulo its rows, and its number is a quotient.
//
// REQUIRES: tool-heddle
// RUN: rm -rf %t
// RUN: split-file %s %t
// RUN: heddle run %t/rows.mlir --mapping=%t/m.map --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %t/rows.mlir --mapping=%t/m.map --device=emulate --dims=M=200,N=33 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %t/rows.mlir | FileCheck %s --check-prefix=MEANING
// RUN: heddle compile %t/rows.mlir --mapping=%t/m.map --emit=program | FileCheck %s
// RUN: not heddle compile %t/most.mlir --mapping=%t/m.map --emit=program 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not heddle compile %t/columns.mlir --mapping=%t/m.map --emit=program 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RIGHT: verified
// MEANING: verified: {{.*}} mean what their tasks mean

// CHECK: %[[FIRST:.*]] = arith.addi %arg2, %{{.*}} : index
// CHECK: %[[I:.*]] = tile.iota : tensor<128xi32>
// CHECK: %[[ROW:.*]] = arith.index_cast %[[FIRST]]
// CHECK: %[[SPLAT:.*]] = tensor.splat %[[ROW]] : tensor<128xi32>
// CHECK: arith.addi %[[I]], %[[SPLAT]] : tensor<128xi32>
// What is no sum: the number of a position's piece times the piece's rows is taken off.
// CHECK: %[[N:.*]] = arith.divui %{{.*}}, %{{.*}} : tensor<128xi32>
// CHECK: arith.muli %[[N]], %{{.*}} : tensor<128xi32>

// MOST: most.mlir:[[#]]:[[#]]: error:
// MOST-SAME: expected a number that the variable of a range over processors is part of in sums, in multiples, and
// MOST-SAME: in tiles that the range divides, got one in arith.maxsi
// COLUMNS: columns.mlir:[[#]]:[[#]]: error: expected a number that the variable of a range over processors is part of
// COLUMNS-SAME: got one in arith.cmpi

//--- rows.mlir
task.task @below(y: write f32[M, N], x: read f32[M, N], row: index = 0)
    attributes {tile.default_dims = {M = 256 : i64, N = 64 : i64}}
task.variant @host of @below inner (%y, %x, %row: index) {
  %u = task.tunable "U" = 128
  %v = task.tunable "V" = 64
  %ys = task.blocks %y [%u, %v]
  %xs = task.blocks %x [%u, %v]
  %n = task.count %ys, 0
  %c0 = arith.constant 0 : index
  task.prange (%i) to (%n) {
    %first = arith.muli %i, %u : index
    %own = arith.addi %row, %first : index
    %yi = task.piece %ys[%i, 0]
    %xi = task.piece %xs[%i, 0]
    task.launch @below(%yi, %xi, %own : index)
  }
}
task.variant @groups of @below inner (%y, %x, %row: index) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ys = task.blocks %y [%r, full]
  %xs = task.blocks %x [%r, full]
  %n = task.count %ys, 0
  task.prange (%g) to (%n) {
    %first = arith.muli %g, %r : index
    %own = arith.addi %row, %first : index
    %yg = task.piece %ys[%g, 0]
    %xg = task.piece %xs[%g, 0]
    task.launch @below(%yg, %xg, %own : index)
  }
}
task.variant @leaf of @below leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>, %row: index) {
  %own = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = tile.iota : tensor<64xi32>
  %j = tile.iota : tensor<64xi32>
  %row32 = arith.index_cast %row : index to i32
  %rows = tensor.splat %row32 : tensor<64xi32>
  %at = arith.addi %i, %rows : tensor<64xi32>
  %at2 = tile.broadcast %at axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %j2 = tile.broadcast %j axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %in = arith.cmpi sle, %j2, %at2 : tensor<64x64xi32>
  %some = arith.select %in, %x, %own : tensor<64x64xi1>, tensor<64x64xf32>
  // every other row, which is the same in pieces of any even number of rows
  %one = arith.constant dense<1> : tensor<64xi32>
  %odd = arith.andi %i, %one : tensor<64xi32>
  %oddf = arith.sitofp %odd : tensor<64xi32> to tensor<64xf32>
  %odd2 = tile.broadcast %oddf axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %r = arith.addf %some, %odd2 : tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
//--- most.mlir
task.task @below(y: write f32[M, N], x: read f32[M, N], row: index = 0)
task.variant @host of @below inner (%y, %x, %row: index) {
  %u = task.tunable "U" = 128
  %v = task.tunable "V" = 64
  %ys = task.blocks %y [%u, %v]
  %xs = task.blocks %x [%u, %v]
  %n = task.count %ys, 0
  task.prange (%i) to (%n) {
    %yi = task.piece %ys[%i, 0]
    %xi = task.piece %xs[%i, 0]
    task.launch @below(%yi, %xi, %i : index)
  }
}
task.variant @groups of @below inner (%y, %x, %row: index) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ys = task.blocks %y [%r, full]
  %xs = task.blocks %x [%r, full]
  %n = task.count %ys, 0
  task.prange (%g) to (%n) {
    %yg = task.piece %ys[%g, 0]
    %xg = task.piece %xs[%g, 0]
    task.launch @below(%yg, %xg, %g : index)
  }
}
task.variant @leaf of @below leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>, %row: index) {
  %c5 = arith.constant 5 : index
  %most = arith.maxsi %row, %c5 : index
  %row32 = arith.index_cast %most : index to i32
  %f = arith.sitofp %row32 : i32 to f32
  %fs = tensor.splat %f : tensor<64x64xf32>
  %r = arith.addf %x, %fs : tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
//--- columns.mlir
task.task @below(y: write f32[M, N], x: read f32[M, N], row: index = 0)
task.variant @host of @below inner (%y, %x, %row: index) {
  %u = task.tunable "U" = 128
  %v = task.tunable "V" = 64
  %ys = task.blocks %y [%u, %v]
  %xs = task.blocks %x [%u, %v]
  %n = task.count %ys, 0
  task.prange (%i) to (%n) {
    %yi = task.piece %ys[%i, 0]
    %xi = task.piece %xs[%i, 0]
    task.launch @below(%yi, %xi, %i : index)
  }
}
task.variant @groups of @below inner (%y, %x, %row: index) {
  %r = task.tunable "R" = 64 in [64, 128]
  %ys = task.blocks %y [%r, full]
  %xs = task.blocks %x [%r, full]
  %n = task.count %ys, 0
  task.prange (%g) to (%n) {
    %yg = task.piece %ys[%g, 0]
    %xg = task.piece %xs[%g, 0]
    task.launch @below(%yg, %xg, %g : index)
  }
}
task.variant @leaf of @below leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>, %row: index) {
  %own = arith.constant dense<0.0> : tensor<64x64xf32>
  %j = tile.iota : tensor<64xi32>
  %row32 = arith.index_cast %row : index to i32
  %rows = tensor.splat %row32 : tensor<64xi32>
  %in = arith.cmpi sle, %j, %rows : tensor<64xi32>
  %in2 = tile.broadcast %in axis 0 : tensor<64xi1> -> tensor<64x64xi1>
  %r = arith.select %in2, %x, %own : tensor<64x64xi1>, tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
//--- m.map
{ host = {variant = "host", proc = "HOST", calls = ["block"], entry},
  block = {variant = "groups", proc = "BLOCK", tunables = {R = 64}, calls = ["leaf"]},
  leaf = {variant = "leaf", proc = "WARPGROUP"} }
