//===- device/test/attention_reference.cu - attention forward as the emitter should print it ---===//
//
// What:   O = softmax(scale * Q K^T) V for [heads, rows, 128] views, f16; rows a multiple of 128.
// Roles:  warp group 0 loads; warp groups 1 and 2 own 64 query rows each, S 64x128, O 64x128.
// Order:  software-pipelined by one: S(i) = Q K(i)^T is issued before O += P(i-1) V(i-1); the
// softmax of
//         S(i) runs under that product. The groups take turns on the tensor core (barriers 1 and
//         2).
// Rings:  K and V, 2 slots each, [chunk of 64][128 rows][128 bytes]; full: 1 + bytes, empty: 8
// warps. Params: maps of Q, K, V box {64,128,2,1}, O box {64,64,1,1} over {64, rows, 2, heads};
// rows of K, scale
//         times log2(e). attention_reference.json describes them. Test input only.
#include "heddle_device/all.h"

extern "C" __global__ void __launch_bounds__(384, 1)
    attention_reference(const __grid_constant__ hd::TensorMap mapQ,
                        const __grid_constant__ hd::TensorMap mapK,
                        const __grid_constant__ hd::TensorMap mapV,
                        const __grid_constant__ hd::TensorMap mapO, int keys, float scale) {
  extern __shared__ __align__(1024) char smem[];
  const uint32_t smemBase = hd::smemAddr(smem);
  const uint32_t smemQ = smemBase;           // [2][128][64] f16, reused for O
  const uint32_t smemK = smemBase + 32768;   // 2 x [2][128][64] f16
  const uint32_t smemV = smemBase + 98304;   // 2 x [2][128][64] f16
  const uint32_t fullQ = smemBase + 163840;  // 1 barrier
  const uint32_t fullK = smemBase + 163848;  // 2 barriers
  const uint32_t emptyK = smemBase + 163864; // 2 barriers
  const uint32_t fullV = smemBase + 163880;  // 2 barriers
  const uint32_t emptyV = smemBase + 163896; // 2 barriers

  const int group = hd::warpgroupIndex();
  const int warp = hd::warpIndex();
  const int row = blockIdx.x * 128;
  const int head = blockIdx.y;
  const int trips = hd::ceilDiv(keys, 128);

  if (warp == 0 && hd::electOne()) {
    hd::mbarrierInit(fullQ, 1);
    for (int s = 0; s < 2; ++s) {
      hd::mbarrierInit(fullK + 8 * s, 1);
      hd::mbarrierInit(emptyK + 8 * s, 8);
      hd::mbarrierInit(fullV + 8 * s, 1);
      hd::mbarrierInit(emptyV + 8 * s, 8);
    }
    hd::mbarrierFenceInit();
  }
  hd::ctaSync();

  if (group == 0) {
    hd::registersDec<24>();
    if (warp == 0 && hd::electOne()) {
      hd::mbarrierExpectTx(fullQ, 32768);
      hd::tmaLoad(smemQ, &mapQ, fullQ, 0, row, 0, head);
      int stage = 0;
      uint32_t phase = 1;
      for (int i = 0; i < trips; ++i) {
        hd::mbarrierWait(emptyK + 8 * stage, phase);
        hd::mbarrierExpectTx(fullK + 8 * stage, 32768);
        hd::tmaLoad(smemK + 32768 * stage, &mapK, fullK + 8 * stage, 0, 128 * i, 0, head);
        hd::mbarrierWait(emptyV + 8 * stage, phase);
        hd::mbarrierExpectTx(fullV + 8 * stage, 32768);
        hd::tmaLoad(smemV + 32768 * stage, &mapV, fullV + 8 * stage, 0, 128 * i, 0, head);
        stage ^= 1;
        phase ^= stage == 0;
      }
    }
  } else {
    hd::registersInc<240>();
    const int consumer = group - 1;
    const int lane = hd::laneIndex();
    const int thread = hd::threadIndex() & 127;
    const uint64_t descQ = hd::descK<128>(smemQ + 8192 * consumer);
    const uint64_t descK = hd::descK<128>(smemK);
    const uint64_t descV = hd::descMN<128>(smemV, 128);

    float s[64];    // S(i), then exp2 of it
    uint32_t p[32]; // P(i-1) as A operand
    float o[64];
    float rowMax[2];
    float rowSum[2];

    if (consumer == 1)
      hd::barrierArrive(1, 256);

    // Prologue: S(0) and its softmax.
    hd::mbarrierWait(fullQ, 0);
    hd::mbarrierWait(fullK, 0);
    hd::barrierSync(1 + consumer, 256);
    hd::fenceOperand(s);
    hd::wgmmaFence();
#pragma unroll
    for (int j = 0; j < 8; ++j)
      hd::wgmmaSS<128, hd::f16>(s, hd::descAdvance(descQ, j / 4 * 16384 + j % 4 * 32),
                                hd::descAdvance(descK, j / 4 * 16384 + j % 4 * 32), j > 0);
    hd::wgmmaCommit();
    hd::barrierArrive(2 - consumer, 256);
    hd::wgmmaWait<0>();
    hd::fenceOperand(s);
    hd::mbarrierArriveIf(emptyK, lane == 0);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float top = s[2 * h];
#pragma unroll
      for (int v = 0; v < 16; ++v)
        top = hd::fmax(top, hd::fmax(s[4 * v + 2 * h], s[4 * v + 2 * h + 1]));
      rowMax[h] = hd::quadMax(top);
      const float shift = rowMax[h] * scale;
      float sum = 0.0f;
#pragma unroll
      for (int v = 0; v < 16; ++v)
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          const int r = 4 * v + 2 * h + c;
          s[r] = hd::ex2(hd::fma(s[r], scale, -shift));
          sum += s[r];
        }
      rowSum[h] = sum;
    }
#pragma unroll
    for (int j = 0; j < 32; ++j)
      p[j] = hd::pack<hd::f16>(s[2 * j], s[2 * j + 1]);
#pragma unroll
    for (int r = 0; r < 64; ++r)
      o[r] = 0.0f;

    // Steady state: S(i) beside P(i-1) V(i-1).
    uint32_t stage = 0; // of V(i-1); K(i) is in the other slot
    uint32_t phaseV = 0;
    for (int i = 1; i < trips; ++i) {
      const uint32_t stageK = stage ^ 1;
      const uint32_t phaseK = phaseV ^ stage;
      hd::mbarrierWait(fullK + 8 * stageK, phaseK);
      hd::barrierSync(1 + consumer, 256);
      const uint64_t k = hd::descAdvance(descK, 32768 * stageK);
      hd::fenceOperand(s);
      hd::wgmmaFence();
#pragma unroll
      for (int j = 0; j < 8; ++j)
        hd::wgmmaSS<128, hd::f16>(s, hd::descAdvance(descQ, j / 4 * 16384 + j % 4 * 32),
                                  hd::descAdvance(k, j / 4 * 16384 + j % 4 * 32), j > 0);
      hd::wgmmaCommit();
      hd::mbarrierWait(fullV + 8 * stage, phaseV);
      const uint64_t v0 = hd::descAdvance(descV, 32768 * stage);
      hd::fenceOperand(o);
      hd::fenceOperand(p);
      hd::wgmmaFence();
#pragma unroll
      for (int j = 0; j < 8; ++j)
        hd::wgmmaRS<128, hd::f16, hd::f16, 1>(o, p[4 * j], p[4 * j + 1], p[4 * j + 2], p[4 * j + 3],
                                              hd::descAdvance(v0, 2048 * j), 1);
      hd::wgmmaCommit();
      hd::barrierArrive(2 - consumer, 256);
      hd::wgmmaWait<1>();
      hd::fenceOperand(s);
      hd::mbarrierArriveIf(emptyK + 8 * stageK, lane == 0);

      float rescale[2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float top = rowMax[h];
#pragma unroll
        for (int v = 0; v < 16; ++v)
          top = hd::fmax(top, hd::fmax(s[4 * v + 2 * h], s[4 * v + 2 * h + 1]));
        top = hd::quadMax(top);
        const float shift = top * scale;
        rescale[h] = hd::ex2(hd::fma(rowMax[h], scale, -shift));
        rowMax[h] = top;
        float sum = rowSum[h] * rescale[h];
#pragma unroll
        for (int v = 0; v < 16; ++v)
#pragma unroll
          for (int c = 0; c < 2; ++c) {
            const int r = 4 * v + 2 * h + c;
            s[r] = hd::ex2(hd::fma(s[r], scale, -shift));
            sum += s[r];
          }
        rowSum[h] = sum;
      }
      hd::pinOrder(rowSum[0] + rowSum[1]);
      hd::wgmmaWait<0>();
      hd::fenceOperand(o);
      hd::fenceOperand(p);
      hd::mbarrierArriveIf(emptyV + 8 * stage, lane == 0);
#pragma unroll
      for (int j = 0; j < 32; ++j)
        p[j] = hd::pack<hd::f16>(s[2 * j], s[2 * j + 1]);
#pragma unroll
      for (int r = 0; r < 64; ++r)
        o[r] *= rescale[r / 2 % 2];
      stage ^= 1;
      phaseV ^= stage == 0;
    }

    // Epilogue: the last P V, then O / rowSum through shared memory.
    hd::mbarrierWait(fullV + 8 * stage, phaseV);
    const uint64_t v0 = hd::descAdvance(descV, 32768 * stage);
    hd::fenceOperand(o);
    hd::fenceOperand(p);
    hd::wgmmaFence();
#pragma unroll
    for (int j = 0; j < 8; ++j)
      hd::wgmmaRS<128, hd::f16, hd::f16, 1>(o, p[4 * j], p[4 * j + 1], p[4 * j + 2], p[4 * j + 3],
                                            hd::descAdvance(v0, 2048 * j), 1);
    hd::wgmmaCommit();
    float inverse[2];
    inverse[0] = hd::rcp(hd::quadSum(rowSum[0]));
    inverse[1] = hd::rcp(hd::quadSum(rowSum[1]));
    hd::wgmmaWait<0>();
    hd::fenceOperand(o);
    const uint32_t storeRow = (thread / 32 * 16 + lane % 16) * 128 + lane / 16 * 16;
#pragma unroll
    for (int v = 0; v < 8; ++v) {
      const uint32_t buffer = smemQ + v / 4 * 16384 + consumer * 8192;
      hd::stmatrix4(buffer + hd::swizzle<128>(storeRow + 32 * (v % 4)),
                    hd::pack<hd::f16>(o[8 * v] * inverse[0], o[8 * v + 1] * inverse[0]),
                    hd::pack<hd::f16>(o[8 * v + 2] * inverse[1], o[8 * v + 3] * inverse[1]),
                    hd::pack<hd::f16>(o[8 * v + 4] * inverse[0], o[8 * v + 5] * inverse[0]),
                    hd::pack<hd::f16>(o[8 * v + 6] * inverse[1], o[8 * v + 7] * inverse[1]));
    }
    hd::fenceProxyAsync();
    hd::barrierSync(3 + consumer, 128);
    if (thread == 0) {
      hd::tmaStore(&mapO, smemQ + 8192 * consumer, 0, row + 64 * consumer, 0, head);
      hd::tmaStore(&mapO, smemQ + 16384 + 8192 * consumer, 0, row + 64 * consumer, 1, head);
      hd::tmaCommit();
      hd::tmaWait<0>();
    }
  }
}
