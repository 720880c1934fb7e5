// RUN: heddle-opt %s --heddle-lower-warp-to-hw | FileCheck %s --check-prefix=HW
// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-cuda -o /dev/null | FileCheck %s --check-prefix=CUDA
// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-manifest -o /dev/null | FileCheck %s --check-prefix=JSON
// A GEMM of 128x256x64 on two compute groups; group 0 keeps one dot in flight, group 1 waits for each.
//
// HW: hw.kernel @gemm{{.*}}smem_bytes = 213040 : i64, threads = 384
// HW: hw.tensor_map "A" %arg0 box [64, 128] swizzle 128
// HW: hw.tensor_map "B" %arg1 box [64, 256] swizzle 128
// HW: hw.mbarriers "ab.full" offset 212992 count 1 : <3>
// HW: hw.mbarriers "ab.empty" offset 213016 count 8 : <3>
// HW: hw.role @load warpgroup 0 warp 0 regs 40 barrier 0 single
// HW: hw.wait %{{.*}}[%[[SLOT:.*]]] parity
// HW-NEXT: hw.expect_tx %{{.*}}[%[[SLOT]]] bytes 49152
// HW: hw.tma_load
// HW: hw.tma_load
// HW-NOT: hw.arrive
// HW: hw.role @compute0 warpgroup 1 warp 0 regs 232 barrier 1 {
// HW: hw.wgmma_fence
// HW-NEXT: hw.wgmma {{.*}} n 256
// HW-NEXT: hw.wgmma_commit
// HW-NEXT: hw.wgmma_wait 1
// HW: hw.arrive
// HW-NOT: warp.
//
// CUDA: constexpr uint32_t kBar_ab_empty = 213016; // 3 x 8 arrivals
// CUDA: extern "C" __global__ void __launch_bounds__(384, 1)
// CUDA-NEXT: gemm(const __grid_constant__ hd::TensorMap map_A,
// CUDA: const int program0 = 8 * band + inBand % bandRows;
// CUDA: hd::mbarrierInit(smem + kBar_ab_empty + 8 * slot, 8);
// CUDA: hd::registersDec<40>();
// CUDA: hd::mbarrierExpectTx({{.*}}, 49152);
// CUDA: // load A, {{.*}}, cycle 0
// CUDA: hd::tmaLoad(
// CUDA: hd::registersInc<232>();
// One array holds the accumulator before, in and after the loop: nothing copies it.
// CUDA: float acc[128];
// CUDA: for (int [[K:.*]] = 0; [[K]] < K; [[K]] += 64) {
// CUDA: // dot, {{.*}}, cycle 600, stage 1
// CUDA-NEXT: const uint64_t descA = hd::descK<128>
// CUDA: hd::fenceOperand(acc);
// CUDA-NEXT: hd::wgmmaFence();
// CUDA: hd::wgmmaSS<256, hd::f16, hd::f16, 0, 0, 0>(acc, hd::descAdvance(descA, 32 * j), hd::descAdvance(descB, 32 * j), 1);
// CUDA-NEXT: hd::wgmmaCommit();
// CUDA: hd::wgmmaWait<1>();
// CUDA-NOT: acc[r] =
// CUDA: hd::wgmmaWait<0>();
// CUDA-NEXT: hd::fenceOperand(acc);
// CUDA: hd::fenceProxyAsync();
// CUDA: hd::barrierSync(1, 128);
// CUDA: if (elected) {
// CUDA-NEXT: hd::tmaStore(&map_C, c0,
//
// JSON: "block": 384
// JSON: "op": "mul"
// JSON: "smem": 213040
!acc = tensor<64x256xf32>
!out = tensor<64x256xf16>
!ring = !warp.aref<3, [tensor<128x64xf16>, tensor<256x64xf16>]>
!a = !warp.smem<128x64xf16>
!b = !warp.smem<256x64xf16>
!view = !tile.view<?x?xf16>
warp.kernel @gemm(%A: !view {tile.name = "A", tile.dims = ["M", "K"]}, %B: !view {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !view {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = tile.dim %A, 0 : !view
  %N = tile.dim %B, 0 : !view
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c256 : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %r = warp.aref "ab" : !ring
  %o0 = warp.scratch "c0" : !warp.smem<64x256xf16>
  %o1 = warp.scratch "c1" : !warp.smem<64x256xf16>
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bm = arith.constant 128 : index
    %bn = arith.constant 256 : index
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %m = arith.muli %pm, %bm : index
    %n = arith.muli %pn, %bn : index
    %K = tile.dim %A, 1 : !view
    scf.for %k = %c0 to %K step %c64 {
      %use = arith.divui %k, %c64 : index
      warp.acquire %r[%use] : !ring
      warp.copy %A[%m, %k] to %r[%use] field 0 {heddle.node = "load A", heddle.cycle = 0 : i64} : !view, !ring
      warp.copy %B[%n, %k] to %r[%use] field 1 {heddle.node = "load B", heddle.cycle = 128 : i64} : !view, !ring
      warp.publish %r[%use] : !ring
    }
  }
  warp.group @compute0 warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bm = arith.constant 128 : index
    %bn = arith.constant 256 : index
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %m = arith.muli %pm, %bm : index
    %n = arith.muli %pn, %bn : index
    %K = tile.dim %A, 1 : !view
    %zero = arith.constant dense<0.0> : !acc
    %d = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (!acc) {
      %use = arith.divui %k, %c64 : index
      %a, %b = warp.get %r[%use] : !ring -> !a, !b
      %a0 = warp.slice %a [0, 0] : !a -> !warp.smem<64x64xf16>
      %bt = warp.transpose %b : !b -> !warp.smem<64x256xf16>
      %next = warp.dot %a0, %bt acc(%sum : !acc) {heddle.node = "dot", heddle.cycle = 600 : i64,
          heddle.stage = 1 : i64} : !warp.smem<64x64xf16>, !warp.smem<64x256xf16> -> !acc
      warp.dot_wait 1
      %first = arith.cmpi eq, %use, %c0 : index
      %true = arith.constant true
      %later = arith.xori %first, %true : i1
      scf.if %later {
        %prev = arith.subi %use, %c1 : index
        warp.consumed %r[%prev] : !ring
      }
      scf.yield %next : !acc
    }
    %f = warp.dot_wait 0 : %d : !acc -> !acc
    %h = arith.truncf %f : !acc to !out
    warp.write %h, %o0 : !out, !warp.smem<64x256xf16>
    warp.fence
    warp.barrier
    warp.copy_out %o0 to %C[%m, %n] : !warp.smem<64x256xf16>, !view
    warp.copy_out_wait 0
  }
  warp.group @compute1 warps(4) regs(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bm = arith.constant 128 : index
    %bn = arith.constant 256 : index
    %pm = tile.program_id 0
    %pn = tile.program_id 1
    %m0 = arith.muli %pm, %bm : index
    %m = arith.addi %m0, %c64 : index
    %n = arith.muli %pn, %bn : index
    %K = tile.dim %A, 1 : !view
    %zero = arith.constant dense<0.0> : !acc
    %d = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (!acc) {
      %use = arith.divui %k, %c64 : index
      %a, %b = warp.get %r[%use] : !ring -> !a, !b
      %a0 = warp.slice %a [64, 0] : !a -> !warp.smem<64x64xf16>
      %bt = warp.transpose %b : !b -> !warp.smem<64x256xf16>
      %next = warp.dot %a0, %bt acc(%sum : !acc) : !warp.smem<64x64xf16>, !warp.smem<64x256xf16> -> !acc
      warp.dot_wait 0
      warp.consumed %r[%use] : !ring
      scf.yield %next : !acc
    }
    %f = warp.dot_wait 0 : %d : !acc -> !acc
    %h = arith.truncf %f : !acc to !out
    warp.write %h, %o1 : !out, !warp.smem<64x256xf16>
    warp.fence
    warp.barrier
    warp.copy_out %o1 to %C[%m, %n] : !warp.smem<64x256xf16>, !view
    warp.copy_out_wait 0
  }
  warp.return
}
