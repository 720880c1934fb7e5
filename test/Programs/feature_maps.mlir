// Linear attention, not causal: keys and queries become 1 + elu of themselves. The first loop sums what keys and values
// give; the second goes over the queries and has no sum to carry.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
!x = !tile.view<?x?x64xbf16>
!f = tensor<64x64xf32>
!h = tensor<64x64xbf16>
tile.kernel @linear(%Q: !x {tile.name = "Q", tile.dims = ["H", "S", "D"]},
                    %K: !x {tile.name = "K", tile.dims = ["H", "T", "D"]},
                    %V: !x {tile.name = "V", tile.dims = ["H", "T", "D"]},
                    %O: !x {tile.name = "O", tile.dims = ["H", "S", "D"]})
    attributes {tile.default_dims = {H = 2, S = 150, T = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !f
  %zero1 = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : !f
  %eps = arith.constant dense<1.0e-06> : tensor<64xf32>
  %S = tile.dim %Q, 1 : !x
  %T = tile.dim %K, 1 : !x
  %H = tile.dim %Q, 0 : !x
  tile.grid %H
  %head = tile.program_id 0
  %t32 = arith.index_cast %T : index to i32
  %limit = tensor.splat %t32 : tensor<64xi32>
  %kv, %sum = scf.for %j = %c0 to %T step %c64 iter_args(%kvi = %zero, %si = %zero1) -> (!f, tensor<64xf32>) {
    %k = tile.load %K[%head, %j, %c0] : !x -> !h
    %kf = arith.extf %k : !h to !f
    %positive = arith.cmpf ogt, %kf, %zero : !f
    %linear = arith.addf %kf, %one : !f
    %exp = math.exp %kf : !f
    %elu = arith.select %positive, %linear, %exp : tensor<64x64xi1>, !f
    // keys past the end count nothing
    %n = tile.iota : tensor<64xi32>
    %j32 = arith.index_cast %j : index to i32
    %js = tensor.splat %j32 : tensor<64xi32>
    %row = arith.addi %n, %js : tensor<64xi32>
    %in = arith.cmpi slt, %row, %limit : tensor<64xi32>
    %in2 = tile.broadcast %in axis 1 : tensor<64xi1> -> tensor<64x64xi1>
    %phi = arith.select %in2, %elu, %zero : tensor<64x64xi1>, !f
    %phih = arith.truncf %phi : !f to !h
    %phit = tile.transpose %phih : !h -> !h
    %v = tile.load %V[%head, %j, %c0] : !x -> !h
    %next = tile.dot %phit, %v, %kvi : !h, !h, !f
    %keys = tile.reduce "add" %phi axis 0 : !f -> tensor<64xf32>
    %sn = arith.addf %si, %keys : tensor<64xf32>
    scf.yield %next, %sn : !f, tensor<64xf32>
  }
  %kvh = arith.truncf %kv : !f to !h
  scf.for %i = %c0 to %S step %c64 {
    %q = tile.load %Q[%head, %i, %c0] : !x -> !h
    %qf = arith.extf %q : !h to !f
    %positive = arith.cmpf ogt, %qf, %zero : !f
    %linear = arith.addf %qf, %one : !f
    %exp = math.exp %qf : !f
    %phi = arith.select %positive, %linear, %exp : tensor<64x64xi1>, !f
    %sum2 = tile.broadcast %sum axis 0 : tensor<64xf32> -> !f
    %weighted = arith.mulf %phi, %sum2 : !f
    %z = tile.reduce "add" %weighted axis 1 : !f -> tensor<64xf32>
    %ze = arith.addf %z, %eps : tensor<64xf32>
    %phih = arith.truncf %phi : !f to !h
    %o = tile.dot %phih, %kvh, %zero : !h, !h, !f
    %z2 = tile.broadcast %ze axis 1 : tensor<64xf32> -> !f
    %on = arith.divf %o, %z2 : !f
    %oh = arith.truncf %on : !f to !h
    tile.store %oh, %O[%head, %i, %c0] : !h, !x
  }
  tile.return
}
