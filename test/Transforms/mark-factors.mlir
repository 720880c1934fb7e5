// Factors of rows that are one unless a running maximum (or minimum) has changed are marked.
// RUN: heddle-opt %s --heddle-mark-factors | FileCheck %s
tile.kernel @rows(%X: !tile.view<64x64xf32>, %O: !tile.view<64x64xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %c0 = arith.constant 0 : index
  %x = tile.load %X[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %scale = arith.constant dense<0.125> : tensor<64xf32>
  %most = tile.reduce "max" %x axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %sum = tile.reduce "add" %x axis 1 : tensor<64x64xf32> -> tensor<64xf32>

  // exp2(scale * sum - scale * max(sum, most)): the maximum and what it is compared with
  // CHECK: arith.mulf {{.*}} {heddle.often_one = 1 : i64}
  %next = arith.maximumf %sum, %most : tensor<64xf32>
  %was = arith.mulf %sum, %scale : tensor<64xf32>
  %is = arith.mulf %next, %scale : tensor<64xf32>
  %down = arith.subf %was, %is : tensor<64xf32>
  %alpha = math.exp2 %down : tensor<64xf32>
  %alphas = tile.broadcast %alpha axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %a = arith.mulf %x, %alphas : tensor<64x64xf32>

  // exp(min(sum, most) - sum), the factor first
  // CHECK: arith.mulf {{.*}} {heddle.often_one = 0 : i64}
  %least = arith.minnumf %sum, %most : tensor<64xf32>
  %up = arith.subf %least, %sum : tensor<64xf32>
  %beta = math.exp %up : tensor<64xf32>
  %betas = tile.broadcast %beta axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %b = arith.mulf %betas, %a : tensor<64x64xf32>

  // exp(sum - most): nothing says that they are often equal; exp(max) alone; a factor of columns; a narrow tile
  // CHECK-NOT: heddle.often_one
  %apart = arith.subf %sum, %most : tensor<64xf32>
  %gamma = math.exp %apart : tensor<64xf32>
  %gammas = tile.broadcast %gamma axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %c = arith.mulf %b, %gammas : tensor<64x64xf32>
  %delta = math.exp %next : tensor<64xf32>
  %deltas = tile.broadcast %delta axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.mulf %c, %deltas : tensor<64x64xf32>
  %across = tile.broadcast %alpha axis 0 : tensor<64xf32> -> tensor<64x64xf32>
  %e = arith.mulf %d, %across : tensor<64x64xf32>
  %narrow = tile.broadcast %alpha axis 1 : tensor<64xf32> -> tensor<64x16xf32>
  %squared = arith.mulf %narrow, %narrow : tensor<64x16xf32>
  %total = tile.reduce "add" %squared axis 1 : tensor<64x16xf32> -> tensor<64xf32>
  %totals = tile.broadcast %total axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %f = arith.mulf %e, %totals : tensor<64x64xf32>
  tile.store %f, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
