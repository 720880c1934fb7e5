// One group lacks registers for a program whose maxima of columns keep it from being divided: both is said.
// REQUIRES: tool-heddle
// RUN: not heddle compile %s --emit=cuda 2>&1 | FileCheck %s
// CHECK: undivided.mlir:[[#]]:11: error: infeasible: no schedule:
// CHECK: undivided.mlir:[[#]]:13: note: more warp groups have more registers, but: {{.*}}cannot divide this program over warp groups: {{[^(]*$}}
tile.kernel @iterated(%X: !tile.view<?x128x128xbf16> {tile.name = "X", tile.dims = ["B", "D", "D"]},
                      %Y: !tile.view<?x128x128xbf16> {tile.name = "Y", tile.dims = ["B", "D", "D"]},
                      %steps: i32 {tile.name = "steps"})
    attributes {tile.default_dims = {B = 2}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tile.dim %X, 0 : !tile.view<?x128x128xbf16>
  tile.grid %batch
  %p = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %first = arith.constant dense<0.03> : tensor<128x128xf32>
  %second = arith.constant dense<-0.002> : tensor<128x128xf32>
  %x0 = tile.load %X[%p, %c0, %c0] {dims = array<i64: 1, 2>} : !tile.view<?x128x128xbf16> -> tensor<128x128xbf16>
  %n = arith.index_cast %steps : i32 to index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<128x128xbf16>) {
    %xt = tile.transpose %x : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %g = tile.dot %x, %xt, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
    %s = arith.mulf %g, %first : tensor<128x128xf32>
    %gh = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xbf16>
    %gg = tile.dot %gh, %gh, %s : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
    %w = arith.mulf %gg, %second : tensor<128x128xf32>
    %wh = arith.truncf %w : tensor<128x128xf32> to tensor<128x128xbf16>
    %xf = arith.extf %x : tensor<128x128xbf16> to tensor<128x128xf32>
    %next = tile.dot %wh, %x, %xf : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
    %most = tile.reduce "max" %next axis 0 : tensor<128x128xf32> -> tensor<128xf32>
    %each = tile.broadcast %most axis 0 : tensor<128xf32> -> tensor<128x128xf32>
    %less = arith.subf %next, %each : tensor<128x128xf32>
    %h = arith.truncf %less : tensor<128x128xf32> to tensor<128x128xbf16>
    scf.yield %h : tensor<128x128xbf16>
  }
  tile.store %last, %Y[%p, %c0, %c0] {dims = array<i64: 1, 2>} : tensor<128x128xbf16>, !tile.view<?x128x128xbf16>
  tile.return
}
