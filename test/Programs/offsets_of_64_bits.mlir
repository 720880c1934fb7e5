// Sums over ragged rows: offsets of 64 bits, both from one loaded tile; a half-precision scale from memory.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @jag(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["T", "D"]},
                  %off: !tile.view<?xi64> {tile.name = "off", tile.dims = ["B1"]},
                  %scale: !tile.view<?xf16> {tile.name = "scale", tile.dims = ["B"]},
                  %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["B", "D"]})
    attributes {tile.default_dims = {T = 60, B = 4, B1 = 5}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %B = tile.dim %Y, 0 : !tile.view<?x64xf32>
  tile.grid %B
  %b = tile.program_id 0
  %b1 = arith.addi %b, %c1 : index
  %o = tile.load %off[%b] : !tile.view<?xi64> -> tensor<2xi64>
  %f64 = tensor.extract %o[%c0] : tensor<2xi64>
  %t64 = tensor.extract %o[%c1] : tensor<2xi64>
  %from = arith.index_cast %f64 : i64 to index
  %to0 = arith.index_cast %t64 : i64 to index
  %to = arith.maxsi %from, %to0 : index
  %sh = tile.element %scale[%b] : !tile.view<?xf16> -> f16
  %sf = arith.extf %sh : f16 to f32
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %sum = scf.for %t = %from to %to step %c8 iter_args(%s = %z) -> (tensor<64xf32>) {
    %x = tile.load %X[%t, %c0] : !tile.view<?x64xf32> -> tensor<8x64xf32>
    %left = arith.subi %to, %t : index
    %l32 = arith.index_cast %left : index to i32
    %i = tile.iota : tensor<8xi32>
    %ls = tensor.splat %l32 : tensor<8xi32>
    %in = arith.cmpi slt, %i, %ls : tensor<8xi32>
    %inb = tile.broadcast %in axis 1 : tensor<8xi1> -> tensor<8x64xi1>
    %zz = arith.constant dense<0.0> : tensor<8x64xf32>
    %xm = arith.select %inb, %x, %zz : tensor<8x64xi1>, tensor<8x64xf32>
    %r = tile.reduce "add" %xm axis 0 : tensor<8x64xf32> -> tensor<64xf32>
    %n = arith.addf %s, %r : tensor<64xf32>
    scf.yield %n : tensor<64xf32>
  }
  %ss = tensor.splat %sf : tensor<64xf32>
  %out = arith.mulf %sum, %ss : tensor<64xf32>
  tile.store %out, %Y[%b, %c0] : tensor<64xf32>, !tile.view<?x64xf32>
  tile.return
}
