// RUN: heddle-opt --heddle-assign-layouts --heddle-lower-warp-to-hw --heddle-verify-layouts --heddle-emit-cuda %s -o /dev/null | FileCheck %s
// What is left of n columns at column 32 it, or columns below n that begin at 32 it: one mask, and one text.

// CHECK-LABEL: mask_sums(
warp.kernel @mask_sums(%X: !tile.view<?x?xf32> {tile.dims = ["M", "N"]}, %Y: !tile.view<?x?xf32>, %n: i32) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %N = tile.dim %X, 1 : !tile.view<?x?xf32>
    %trips = arith.ceildivsi %N, %c32 : index
    scf.for %it = %c0 to %trips step %one {
      %j = arith.muli %it, %c32 : index
      %x = tile.load %X[%c0, %j] : !tile.view<?x?xf32> -> tensor<64x32xf32>
      %left = arith.subi %N, %j : index
      %left32 = arith.index_cast %left : index to i32
      %limit = tensor.splat %left32 : tensor<32xi32>
      %iota = tile.iota : tensor<32xi32>
      // CHECK: if (!(31LL + i < N)) {
      // CHECK: [r] = ({{.*}} + i) < N) ?
      %lt = arith.cmpi slt, %iota, %limit : tensor<32xi32>
      %lt2 = tile.broadcast %lt axis 0 : tensor<32xi1> -> tensor<64x32xi1>
      %s = arith.select %lt2, %x, %zero : tensor<64x32xi1>, tensor<64x32xf32>
      tile.store %s, %Y[%c0, %j] : tensor<64x32xf32>, !tile.view<?x?xf32>

      // The same from the other side, with what is left as the greater one.
      // CHECK: if (!(31LL + i < N)) {
      %y = tile.load %X[%c0, %j] : !tile.view<?x?xf32> -> tensor<64x32xf32>
      %gt = arith.cmpi sgt, %limit, %iota : tensor<32xi32>
      %gt2 = tile.broadcast %gt axis 0 : tensor<32xi1> -> tensor<64x32xi1>
      %t = arith.select %gt2, %y, %zero : tensor<64x32xi1>, tensor<64x32xf32>
      tile.store %t, %Y[%c0, %j] : tensor<64x32xf32>, !tile.view<?x?xf32>
    }
    // What is known before the loop stays a difference.
    // CHECK: if (!(31LL < (N - arg2))) {
    %m = arith.index_cast %n : i32 to index
    %less = arith.subi %N, %m : index
    %less32 = arith.index_cast %less : index to i32
    %all = tensor.splat %less32 : tensor<32xi32>
    %cols = tile.iota : tensor<32xi32>
    %z = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %lz = arith.cmpi slt, %cols, %all : tensor<32xi32>
    %lz2 = tile.broadcast %lz axis 0 : tensor<32xi1> -> tensor<64x32xi1>
    %u = arith.select %lz2, %z, %zero : tensor<64x32xi1>, tensor<64x32xf32>
    tile.store %u, %Y[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>
  }
  warp.return
}
