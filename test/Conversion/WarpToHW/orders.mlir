// RUN: heddle-opt %s --heddle-lower-warp-to-hw | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s --check-prefix=ROUND
// An order becomes a barrier for each place, on which the place before arrives; place 0 waits for the round before.
// ROUND: warp.order "order" : <2>
// ROUND: warp.enter %{{.*}}[%{{.*}}] at 0 : <2>
// ROUND: warp.leave %{{.*}}[%{{.*}}] at 0 : <2>
!view = !tile.view<?x64xf16>
!order = !warp.order<2>
warp.kernel @in_order(%X: !view {tile.name = "X", tile.dims = ["M", "D"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  %order = warp.order "order" : !order
  warp.group @a warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%n] at 0 : !order
      warp.leave %order[%n] at 0 : !order
    }
  }
  warp.group @b warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 3 : index
    scf.for %n = %c0 to %rounds step %c1 {
      warp.enter %order[%n] at 1 : !order
      warp.leave %order[%n] at 1 : !order
    }
  }
  warp.return
}
// CHECK: %[[BARS:.*]] = hw.mbarriers "order" offset 0 count 4 turns 2 : <2>
// CHECK: hw.role @a
// CHECK: %[[PHASE:.*]] = arith.addi %[[N:.*]], %c1
// CHECK: %[[PARITY:.*]] = arith.andi %[[PHASE]], %c1
// CHECK: hw.wait %[[BARS]][%c0{{.*}}] parity %[[PARITY]]
// CHECK: hw.arrive %[[BARS]][%c1{{.*}}]
// CHECK: hw.role @b
// CHECK: hw.wait %[[BARS]][%c1{{.*}}]
// CHECK: hw.arrive %[[BARS]][%c0{{.*}}]
