// RUN: heddle-opt --heddle-assign-layouts --heddle-lower-warp-to-hw --heddle-verify-layouts --heddle-emit-cuda %s -o /dev/null | FileCheck %s
// A mask of positions becomes one scalar condition where that can be known; the branch is the same for all threads of
// the group.

// CHECK-LABEL: masks(
warp.kernel @masks(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>, %n: i32, %j: i32) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %iota = tile.iota : tensor<32xi32>
    %jj = tensor.splat %j : tensor<32xi32>
    %nn = tensor.splat %n : tensor<32xi32>
    %col = arith.addi %iota, %jj : tensor<32xi32>

    // The last column, j + 31, is inside: no sum on the right that could wrap.
    // CHECK: if (!(31LL + [[J:.*]] < [[N:.*]])) {
    // CHECK-NEXT: #pragma unroll
    // CHECK-NEXT: for (int r = 0; r < 16; ++r)
    // CHECK-NEXT: [[A:.*]][r] = ({{.*}} < [[N]]) ? [[A]][r] : 0.0f;
    // CHECK-NEXT: }
    %a = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %lt = arith.cmpi slt, %col, %nn : tensor<32xi32>
    %lt2 = tile.broadcast %lt axis 0 : tensor<32xi1> -> tensor<64x32xi1>
    %s = arith.select %lt2, %a, %zero : tensor<64x32xi1>, tensor<64x32xf32>
    tile.store %s, %Y[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>

    // A window: above the diagonal of a shifted row, both ends checked in 64 bits.
    // CHECK: if (!(70LL <= 0LL + [[J]] - [[N]] && {{.*}} <= 2147483647LL)) {
    %b = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %low = arith.subi %col, %nn : tensor<32xi32>
    %low2 = tile.broadcast %low axis 0 : tensor<32xi32> -> tensor<64x32xi32>
    %rows = tile.iota : tensor<64xi32>
    %m = arith.constant 7 : i32
    %mm = tensor.splat %m : tensor<64xi32>
    %row = arith.addi %rows, %mm : tensor<64xi32>
    %row2 = tile.broadcast %row axis 1 : tensor<64xi32> -> tensor<64x32xi32>
    %ge = arith.cmpi sge, %low2, %row2 : tensor<64x32xi32>
    %t = arith.select %ge, %b, %zero : tensor<64x32xi1>, tensor<64x32xf32>
    tile.store %t, %Y[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>

    // Equality says nothing about a whole tile; a value that is used again must not change in place.
    // CHECK-NOT: if (!(
    %c = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %eq = arith.cmpi eq, %col, %nn : tensor<32xi32>
    %eq2 = tile.broadcast %eq axis 0 : tensor<32xi1> -> tensor<64x32xi1>
    %u = arith.select %eq2, %c, %zero : tensor<64x32xi1>, tensor<64x32xf32>
    tile.store %u, %Y[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>
    %d = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %v = arith.select %lt2, %d, %zero : tensor<64x32xi1>, tensor<64x32xf32>
    %w = arith.addf %v, %d : tensor<64x32xf32>
    tile.store %w, %Y[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>
  }
  warp.return
}
