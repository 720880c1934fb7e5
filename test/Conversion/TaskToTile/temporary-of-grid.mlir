// A temporary of the range over blocks is a value of each block, which its tasks hand on.
//
// REQUIRES: tool-heddle
// RUN: rm -rf %t
// RUN: split-file %s %t
// RUN: heddle run %t/scaled.mlir --mapping=%t/m.map --device=sim --dims=M=130,N=100 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle compile %t/scaled.mlir --mapping=%t/m.map --emit=program | FileCheck %s
// RUN: heddle compile %t/scaled.mlir --mapping=%t/m.map --emit=events | FileCheck %s --check-prefix=EVENTS
// RIGHT: verified
// CHECK: %[[T:.*]] = arith.extf
// CHECK: arith.mulf %[[T]]
// EVENTS: make [[T:t.*]]: [64, 64] f32
// EVENTS: [[E:e[0-9]+]] = call widen(write [[T]]
// EVENTS: call scale({{.*}}read [[T]]) after [[E]]

//--- scaled.mlir
task.task @scaled(y: write f16[M, N], x: read f16[M, N], factor: f32 = 0.5)
    attributes {tile.default_dims = {M = 128 : i64, N = 192 : i64}}
task.task @widen(t: write f32[M, N], x: read f16[M, N])
task.task @scale(y: write f16[M, N], t: read f32[M, N], factor: f32)

task.variant @grid of @scaled inner (%y, %x, %factor: f32) {
  %u = task.tunable "U" = 64
  %ys = task.blocks %y [%u, %u]
  %xs = task.blocks %x [%u, %u]
  %m = task.count %ys, 0
  %n = task.count %ys, 1
  task.prange (%i, %j) to (%m, %n) {
    %yi = task.piece %ys[%i, %j]
    %xi = task.piece %xs[%i, %j]
    %t = task.make_tensor [%u, %u] : f32
    task.launch @widen(%t, %xi)
    task.launch @scale(%yi, %t, %factor : f32)
  }
}
task.variant @widened of @widen leaf (%t: tensor<64x64xf32>, %x: tensor<64x64xf16>) {
  %r = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
task.variant @rounded of @scale leaf (%y: tensor<64x64xf16>, %t: tensor<64x64xf32>, %factor: f32) {
  %factors = tensor.splat %factor : tensor<64x64xf32>
  %product = arith.mulf %t, %factors : tensor<64x64xf32>
  %r = arith.truncf %product : tensor<64x64xf32> to tensor<64x64xf16>
  task.return %r : tensor<64x64xf16>
}
//--- m.map
{ host = {variant = "grid", proc = "HOST", calls = ["widen", "scale"], entry},
  widen = {variant = "widened", proc = "BLOCK"}, scale = {variant = "rounded", proc = "BLOCK"} }
