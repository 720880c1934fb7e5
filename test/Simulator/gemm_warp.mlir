// RUN: heddle-opt --heddle-verify-warp --heddle-simulate-warp="dims=M=128,N=128,K=320" %s 2>&1 | FileCheck %s
// A GEMM in the form that the compiler makes: one load group, two compute groups of 64 rows, a ring of depth 3, one dot
// kept in flight.
// CHECK: gemm: 1 ctas, {{[0-9]+}} cycles, {{[0-9]+}} conflicting accesses ordered
// CHECK-DAG: TC busy 2560
// CHECK-DAG: @load waits
// CHECK: warp.kernel @gemm
!ring = !warp.aref<3, [tensor<64x64xf16>, tensor<64x64xf16>, tensor<128x64xf16>]>
!a = !warp.smem<64x64xf16>
!b = !warp.smem<128x64xf16>
!bt = !warp.smem<64x128xf16>
!acc = tensor<64x128xf32>
!cs = !warp.smem<64x128xf16>
warp.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %h128 = arith.constant 128 : index
  %hM = tile.dim %A, 0 : !tile.view<?x?xf16>
  %hN = tile.dim %B, 0 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %hM, %h128 : index
  %gn = arith.ceildivui %hN, %h128 : index
  tile.grid %gm, %gn
  %ring = warp.aref "ab" : !ring
  %out0 = warp.scratch "c0" : !cs
  %out1 = warp.scratch "c1" : !cs
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %K = tile.dim %A, 1 : !tile.view<?x?xf16>
    %trips = arith.ceildivui %K, %c64 : index
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %m = arith.muli %pm, %c128 : index
    %m1 = arith.addi %m, %c64 : index
    %n = arith.muli %pn, %c128 : index
    scf.for %i = %c0 to %trips step %c1 {
      %k = arith.muli %i, %c64 : index
      warp.acquire %ring[%i] : !ring
      warp.copy %A[%m, %k] to %ring[%i] field 0 : !tile.view<?x?xf16>, !ring
      warp.copy %A[%m1, %k] to %ring[%i] field 1 : !tile.view<?x?xf16>, !ring
      warp.copy %B[%n, %k] to %ring[%i] field 2 : !tile.view<?x?xf16>, !ring
      warp.publish %ring[%i] : !ring
    }
  }
  warp.group @compute0 warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %K = tile.dim %A, 1 : !tile.view<?x?xf16>
    %trips = arith.ceildivui %K, %c64 : index
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %m = arith.muli %pm, %c128 : index
    %n = arith.muli %pn, %c128 : index
    %a0, %x0, %b0 = warp.get %ring[%c0] : !ring -> !a, !a, !b
    %bt0 = warp.transpose %b0 : !b -> !bt
    %d0 = warp.dot %a0, %bt0 : !a, !bt -> !acc
    %sum = scf.for %i = %c1 to %trips step %c1 iter_args(%acc = %d0) -> (!acc) {
      %a, %x, %b = warp.get %ring[%i] : !ring -> !a, !a, !b
      %bt = warp.transpose %b : !b -> !bt
      %d = warp.dot %a, %bt acc(%acc : !acc) : !a, !bt -> !acc
      warp.dot_wait 1
      %last = arith.subi %i, %c1 : index
      warp.consumed %ring[%last] : !ring
      scf.yield %d : !acc
    }
    %r = warp.dot_wait 0 : %sum : !acc -> !acc
    %final = arith.subi %trips, %c1 : index
    warp.consumed %ring[%final] : !ring
    %h = arith.truncf %r : !acc to tensor<64x128xf16>
    warp.write %h, %out0 : tensor<64x128xf16>, !cs
    warp.fence
    warp.barrier
    warp.copy_out %out0 to %C[%m, %n] : !cs, !tile.view<?x?xf16>
    warp.copy_out_wait 0
  }
  warp.group @compute1 warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %K = tile.dim %A, 1 : !tile.view<?x?xf16>
    %trips = arith.ceildivui %K, %c64 : index
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %mb = arith.muli %pm, %c128 : index
    %m = arith.addi %mb, %c64 : index
    %n = arith.muli %pn, %c128 : index
    %x0, %a0, %b0 = warp.get %ring[%c0] : !ring -> !a, !a, !b
    %bt0 = warp.transpose %b0 : !b -> !bt
    %d0 = warp.dot %a0, %bt0 : !a, !bt -> !acc
    %sum = scf.for %i = %c1 to %trips step %c1 iter_args(%acc = %d0) -> (!acc) {
      %x, %a, %b = warp.get %ring[%i] : !ring -> !a, !a, !b
      %bt = warp.transpose %b : !b -> !bt
      %d = warp.dot %a, %bt acc(%acc : !acc) : !a, !bt -> !acc
      warp.dot_wait 1
      %last = arith.subi %i, %c1 : index
      warp.consumed %ring[%last] : !ring
      scf.yield %d : !acc
    }
    %r = warp.dot_wait 0 : %sum : !acc -> !acc
    %final = arith.subi %trips, %c1 : index
    warp.consumed %ring[%final] : !ring
    %h = arith.truncf %r : !acc to tensor<64x128xf16>
    warp.write %h, %out1 : tensor<64x128xf16>, !cs
    warp.fence
    warp.barrier
    warp.copy_out %out1 to %C[%m, %n] : !cs, !tile.view<?x?xf16>
    warp.copy_out_wait 0
  }
  warp.return
}
