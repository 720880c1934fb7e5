// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-cuda -o /dev/null | FileCheck %s
// Two rings of other depths whose uses are counted by one loop: both advance slot and parity. (The loop is made anew
// for each ring; the number of a use was kept from before it, and the second ring read freed memory.)
//
// CHECK-NOT: {{% [35]}}
// CHECK: kBar_a_empty + 8 * slot[[A:[0-9]*]], parity
// CHECK: kBar_b_empty + 8 * slot[[B:[0-9]*]], parity
// CHECK-DAG: hd::advance<3>(slot[[A]], parity
// CHECK-DAG: hd::advance<5>(slot[[B]], parity
// CHECK-NOT: {{% [35]}}
!a = !warp.aref<3, [tensor<64x64xf16>]>
!b = !warp.aref<5, [tensor<64x64xf16>]>
!tile = !warp.smem<64x64xf16>
!view = !tile.view<?x?xf16>
!acc = tensor<64x64xf32>
warp.kernel @two(%A: !view {tile.name = "A", tile.dims = ["M", "K"]},
                 %B: !view {tile.name = "B", tile.dims = ["N", "K"]},
                 %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %ra = warp.aref "a" : !a
  %rb = warp.aref "b" : !b
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %K = tile.dim %A, 1 : !view
    %trips = arith.divui %K, %c64 : index
    scf.for %i = %c0 to %trips step %c1 {
      %k = arith.muli %i, %c64 : index
      warp.acquire %ra[%i] : !a
      warp.copy %A[%c0, %k] to %ra[%i] field 0 : !view, !a
      warp.publish %ra[%i] : !a
      warp.acquire %rb[%i] : !b
      warp.copy %B[%c0, %k] to %rb[%i] field 0 : !view, !b
      warp.publish %rb[%i] : !b
    }
  }
  warp.group @compute warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %K = tile.dim %A, 1 : !view
    %trips = arith.divui %K, %c64 : index
    %zero = arith.constant dense<0.0> : !acc
    %sum = scf.for %i = %c0 to %trips step %c1 iter_args(%before = %zero) -> (!acc) {
      %a = warp.get %ra[%i] : !a -> !tile
      %b = warp.get %rb[%i] : !b -> !tile
      %bt = warp.transpose %b : !tile -> !tile
      %next = warp.dot %a, %bt acc(%before : !acc) : !tile, !tile -> !acc
      %done = warp.dot_wait 0 : %next : !acc -> !acc
      warp.consumed %ra[%i] : !a
      warp.consumed %rb[%i] : !b
      scf.yield %done : !acc
    }
    tile.store %sum, %C[%c0, %c0] : !acc, !tile.view<?x?xf32>
  }
  warp.return
}
