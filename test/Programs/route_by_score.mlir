// Top-1 routing: the largest of eight scores of a block decides whether and by how much its tile is scaled; the first
// place where a table ends is looked for by a while loop.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @route(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "D"]},
                  %G: !tile.view<?x8xf32> {tile.name = "G", tile.dims = ["P", "E"]},
                  %T: !tile.view<?xi32> {tile.name = "T", tile.dims = ["L"]},
                  %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 200, P = 4, L = 9}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  %L = tile.dim %T, 0 : !tile.view<?xi32>
  %g = arith.ceildivui %M, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %scores = tile.load %G[%p, %c0] : !tile.view<?x8xf32> -> tensor<1x8xf32>
  %double = arith.addf %scores, %scores : tensor<1x8xf32>
  %top = tile.reduce "max" %double axis 1 : tensor<1x8xf32> -> tensor<1xf32>
  %best = tensor.extract %top[%c0] : tensor<1xf32>
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0 : i32
  %end = scf.while (%i = %c0) : (index) -> index {
    %t = tile.element %T[%i] : !tile.view<?xi32> -> i32
    %in = arith.cmpi slt, %i, %L : index
    %positive = arith.cmpi sgt, %t, %zero : i32
    %more = arith.andi %in, %positive : i1
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %n = arith.addi %i, %c1 : index
    scf.yield %n : index
  }
  %e32 = arith.index_cast %end : index to i32
  %ef = arith.sitofp %e32 : i32 to f32
  %es = tensor.splat %ef : tensor<64x64xf32>
  %big = arith.cmpf ogt, %best, %half : f32
  %x = tile.load %X[%m, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  %y = scf.if %big -> (tensor<64x64xf32>) {
    %bs = tensor.splat %best : tensor<64x64xf32>
    %s = arith.mulf %x, %bs : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  } else {
    %n = arith.negf %x : tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  }
  %z = arith.addf %y, %es : tensor<64x64xf32>
  tile.store %z, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
