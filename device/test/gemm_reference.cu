//===- device/test/gemm_reference.cu - C = A * B^T as the emitter should print it ------------===//
//
// What:   C[M,N] = A[M,K] * B[N,K]^T, f16 with f32 accumulation; CTA tile 128x256x64.
// Roles:  warp group 0 loads (one thread); warp groups 1 and 2 own 64x256 each.
// Ring:   4 stages of A 128x64 and B 256x64, K-major, 128-byte swizzle; full: 1 arrival + bytes,
//         empty: one arrival per consumer warp (8).
// Grid:   min(tiles, multiprocessors), each CTA walks tiles by gridDim.x; tiles in groups of 16
// rows. Params: maps of A box {64,128}, B box {64,256}, C box {64,64}, all swizzle 128; M, N, K.
//         gemm_reference.json describes them. Test input only: kernels come from the compiler.
#include "heddle_device/all.h"

extern "C" __global__ void __launch_bounds__(384, 1)
    gemm_reference(const __grid_constant__ hd::TensorMap mapA,
                   const __grid_constant__ hd::TensorMap mapB,
                   const __grid_constant__ hd::TensorMap mapC, int m, int n, int k) {
  extern __shared__ __align__(1024) char smem[];
  const uint32_t smemBase = hd::smemAddr(smem);
  const uint32_t smemA = smemBase;          // 4 x [128][64] f16
  const uint32_t smemB = smemBase + 65536;  // 4 x [256][64] f16
  const uint32_t smemC = smemBase + 196608; // 2 groups x 2 x [64][64] f16
  const uint32_t full = smemBase + 229376;  // 4 barriers
  const uint32_t empty = smemBase + 229408; // 4 barriers

  const int group = hd::warpgroupIndex();
  const int warp = hd::warpIndex();
  const int tilesM = hd::ceilDiv(m, 128);
  const int tilesN = hd::ceilDiv(n, 256);
  const int tiles = tilesM * tilesN;
  const int trips = hd::ceilDiv(k, 64);

  if (warp == 0 && hd::electOne()) {
    hd::tmaPrefetchMap(&mapA);
    hd::tmaPrefetchMap(&mapB);
    hd::tmaPrefetchMap(&mapC);
    for (int s = 0; s < 4; ++s) {
      hd::mbarrierInit(full + 8 * s, 1);
      hd::mbarrierInit(empty + 8 * s, 8);
    }
    hd::mbarrierFenceInit();
  }
  hd::ctaSync();

  if (group == 0) {
    hd::registersDec<40>();
    if (warp == 0 && hd::electOne()) {
      int stage = 0;
      uint32_t phase = 1;
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int band = tile / (16 * tilesN);
        const int rows = hd::min(16, tilesM - 16 * band);
        const int inBand = tile - band * 16 * tilesN;
        const int row = (16 * band + inBand % rows) * 128;
        const int col = inBand / rows * 256;
        for (int i = 0; i < trips; ++i) {
          hd::mbarrierWait(empty + 8 * stage, phase);
          hd::mbarrierExpectTx(full + 8 * stage, 49152);
          hd::tmaLoad(smemA + 16384 * stage, &mapA, full + 8 * stage, 64 * i, row);
          hd::tmaLoad(smemB + 32768 * stage, &mapB, full + 8 * stage, 64 * i, col);
          stage = stage == 3 ? 0 : stage + 1;
          phase ^= stage == 0;
        }
      }
    }
  } else {
    hd::registersInc<232>();
    const int consumer = group - 1;
    const int lane = hd::laneIndex();
    const int thread = hd::threadIndex() & 127;
    const uint64_t descA = hd::descK<128>(smemA + 8192 * consumer);
    const uint64_t descB = hd::descK<128>(smemB);
    // stmatrix: lane l addresses row 16w + l%16, column half l/16 of a 16-column pair.
    const uint32_t storeRow = (thread / 32 * 16 + lane % 16) * 128 + lane / 16 * 16;
    int stage = 0;
    uint32_t phase = 0;
    float acc[128];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const int band = tile / (16 * tilesN);
      const int rows = hd::min(16, tilesM - 16 * band);
      const int inBand = tile - band * 16 * tilesN;
      const int row = (16 * band + inBand % rows) * 128;
      const int col = inBand / rows * 256;

      int previous = 0;
      for (int i = 0; i < trips; ++i) {
        hd::mbarrierWait(full + 8 * stage, phase);
        const uint64_t a = hd::descAdvance(descA, 16384 * stage);
        const uint64_t b = hd::descAdvance(descB, 32768 * stage);
        hd::fenceOperand(acc);
        hd::wgmmaFence();
        hd::wgmmaSS<256, hd::f16>(acc, hd::descAdvance(a, 0), hd::descAdvance(b, 0), i > 0);
        hd::wgmmaSS<256, hd::f16>(acc, hd::descAdvance(a, 32), hd::descAdvance(b, 32), 1);
        hd::wgmmaSS<256, hd::f16>(acc, hd::descAdvance(a, 64), hd::descAdvance(b, 64), 1);
        hd::wgmmaSS<256, hd::f16>(acc, hd::descAdvance(a, 96), hd::descAdvance(b, 96), 1);
        hd::wgmmaCommit();
        hd::wgmmaWait<1>();
        hd::mbarrierArriveIf(empty + 8 * previous, i > 0 && lane == 0);
        previous = stage;
        stage = stage == 3 ? 0 : stage + 1;
        phase ^= stage == 0;
      }
      hd::wgmmaWait<0>();
      hd::fenceOperand(acc);
      hd::mbarrierArriveIf(empty + 8 * previous, lane == 0);

#pragma unroll
      for (int slice = 0; slice < 4; ++slice) {
        const uint32_t buffer = smemC + 16384 * consumer + 8192 * (slice % 2);
        if (thread == 0)
          hd::tmaWaitRead<1>();
        hd::barrierSync(1 + consumer, 128);
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          const int r = 32 * slice + 8 * v;
          hd::stmatrix4(
              buffer + hd::swizzle<128>(storeRow + 32 * v), hd::pack<hd::f16>(acc[r], acc[r + 1]),
              hd::pack<hd::f16>(acc[r + 2], acc[r + 3]), hd::pack<hd::f16>(acc[r + 4], acc[r + 5]),
              hd::pack<hd::f16>(acc[r + 6], acc[r + 7]));
        }
        hd::fenceProxyAsync();
        hd::barrierSync(1 + consumer, 128);
        if (thread == 0) {
          hd::tmaStore(&mapC, buffer, col + 64 * slice, row + 64 * consumer);
          hd::tmaCommit();
        }
      }
    }
    if (thread == 0)
      hd::tmaWait<0>();
  }
}
