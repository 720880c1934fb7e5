//===- device/test/all_forms.cu - every function of the device library, compiled only --------===//
//
// What: instantiates each function and each wgmma form once, so that ptxas sees every instruction
// string.
//       Never launched.
#include "heddle_device/all.h"

template <int N> __device__ void forms(float *out, uint64_t a, uint64_t b, int s) {
  float d[N / 2];
  for (int i = 0; i < N / 2; ++i)
    d[i] = out[i];
  uint32_t p[4];
  for (int i = 0; i < 4; ++i)
    p[i] = __float_as_uint(out[i]);
  hd::fenceOperand(d);
  hd::fenceOperand(p);
  hd::wgmmaFence();
  hd::wgmmaSS<N, hd::f16, hd::f16, 0, 0>(d, a, b, s);
  hd::wgmmaSS<N, hd::f16, hd::f16, 1, 1>(d, a, b, s);
  hd::wgmmaSS<N, hd::bf16>(d, a, b, s);
  hd::wgmmaSS<N, hd::e4m3>(d, a, b, s);
  hd::wgmmaSS<N, hd::e4m3, hd::e5m2>(d, a, b, s);
  hd::wgmmaSS<N, hd::e5m2, hd::e4m3>(d, a, b, s);
  hd::wgmmaSS<N, hd::e5m2>(d, a, b, s);
  hd::wgmmaSS<N, hd::tf32>(d, a, b, s);
  hd::wgmmaRS<N, hd::f16>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::f16, hd::f16, 1>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::bf16>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::e4m3>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::e4m3, hd::e5m2>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::e5m2, hd::e4m3>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::e5m2>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::tf32>(d, p[0], p[1], p[2], p[3], b, s);
  hd::wgmmaRS<N, hd::tf32>(d, __uint_as_float(p[0]), __uint_as_float(p[1]), __uint_as_float(p[2]),
                           __uint_as_float(p[3]), b, s);
  hd::wgmmaCommit();
  hd::pinOrder(hd::pinAfter(static_cast<float>(b)));
  hd::pinOrder(static_cast<uint32_t>(b));
  hd::wgmmaWait<0>();
  hd::fenceOperand(d);
  for (int i = 0; i < N / 2; ++i)
    out[i] = d[i];
}

template <int N> __global__ void __launch_bounds__(128, 1)
    wgmmaForms(float *out, uint64_t a, uint64_t b, int s) {
  forms<N>(out, a, b, s);
}
#define FORMS(N) template __global__ void wgmmaForms<N>(float *, uint64_t, uint64_t, int);
FORMS(8)
FORMS(16) FORMS(24) FORMS(32) FORMS(40) FORMS(48) FORMS(56) FORMS(64) FORMS(72) FORMS(80) FORMS(88)
    FORMS(96) FORMS(104) FORMS(112) FORMS(120) FORMS(128) FORMS(136) FORMS(144) FORMS(152)
        FORMS(160) FORMS(168) FORMS(176) FORMS(184) FORMS(192) FORMS(200) FORMS(208) FORMS(216)
            FORMS(224) FORMS(232) FORMS(240) FORMS(248) FORMS(256)

                extern "C" __global__ void __launch_bounds__(128, 1)
                    parts(float *out, uint64_t a, uint64_t b, int s) {
  float d[128] = {};
  hd::wgmmaFence();
  hd::wgmmaSS<128, hd::bf16, hd::bf16, 0, 1, 0>(d, a, b, s);
  hd::wgmmaSS<128, hd::bf16, hd::bf16, 0, 1, 1>(d, hd::descAdvance(a, 8192), b, s);
  hd::wgmmaCommit();
  hd::wgmmaWait<0>();
  hd::pinAfter(d);
  for (int i = 0; i < 128; ++i)
    out[i] = d[i];
}

__device__ hd::MapPool<3> madePool;

extern "C" __global__ void __launch_bounds__(128, 1) madeMaps(char *src, int64_t pitch, int size) {
  extern __shared__ __align__(1024) char smem[];
  uint32_t base = hd::smemAddr(smem), bar = base + 65536;
  if (hd::threadIndex() != 0)
    return;
  hd::BorrowedMaps<3> maps(madePool);
  maps.begin<2, 128>(0, base, {64, 64});
  maps.begin<1, 32>(1, base, {32, 64, 1});
  maps.begin<4, 0>(2, base, {4, 8, 1, 1, 1});
  maps.prepare(0, base, src, hd::MapShape<2>{{size, size}, {pitch}});
  maps.prepare(1, base, src, hd::MapShape<3>{{size, size, 2}, {pitch, pitch}});
  maps.prepare(2, base, src, hd::MapShape<5>{{size, size, 2, 2, 2}, {pitch, pitch, pitch, pitch}});
  maps.publish(base, 0, 1, 2);
  hd::tmaLoad(base, maps[0], bar, 0, 0);
}

extern "C" __global__ void __launch_bounds__(128, 1)
    copies(const __grid_constant__ hd::TensorMap map, const void *src, char *dst, int c) {
  extern __shared__ __align__(1024) char smem[];
  uint32_t base = hd::smemAddr(smem), bar = base + 65536;
  if (hd::warpIndex() == 0 && hd::electOne()) {
    hd::tmaPrefetchMap(&map);
    hd::mbarrierInit(bar, 1);
    hd::mbarrierFenceInit();
  }
  hd::ctaSync();
  if (hd::warpgroupIndex() == 0 && hd::threadIndex() == 0) {
    hd::mbarrierExpectTx(bar, 4096);
    hd::tmaLoad(base, &map, bar, c);
    hd::tmaLoad(base, &map, bar, c, c);
    hd::tmaLoad(base, &map, bar, c, c, c);
    hd::tmaLoad(base, &map, bar, c, c, c, c);
    hd::tmaLoad(base, &map, bar, c, c, c, c, c);
    hd::tmaLoadHint(base, &map, bar, hd::kEvictFirst, c);
    hd::tmaLoadHint(base, &map, bar, hd::kEvictLast, c, c);
    hd::tmaLoadHint(base, &map, bar, hd::kEvictNormal, c, c, c);
    hd::tmaLoadHint(base, &map, bar, hd::kEvictFirst, c, c, c, c);
    hd::tmaLoadHint(base, &map, bar, hd::kEvictFirst, c, c, c, c, c);
    hd::tmaLoadMulticast(base, &map, bar, 3, c);
    hd::tmaLoadMulticast(base, &map, bar, 3, c, c);
    hd::tmaLoadMulticast(base, &map, bar, 3, c, c, c);
    hd::tmaLoadMulticast(base, &map, bar, 3, c, c, c, c);
    hd::tmaLoadMulticast(base, &map, bar, 3, c, c, c, c, c);
    hd::bulkLoad(base, src, 4096, bar);
    hd::tmaStore(&map, base, c);
    hd::tmaStore(&map, base, c, c);
    hd::tmaStore(&map, base, c, c, c);
    hd::tmaStore(&map, base, c, c, c, c);
    hd::tmaStore(&map, base, c, c, c, c, c);
    hd::tmaStoreAdd(&map, base, c);
    hd::tmaStoreAdd(&map, base, c, c);
    hd::tmaStoreAdd(&map, base, c, c, c);
    hd::tmaStoreAdd(&map, base, c, c, c, c);
    hd::tmaStoreAdd(&map, base, c, c, c, c, c);
    hd::bulkStore(dst, base, 4096);
    hd::tmaCommit();
    hd::tmaWaitRead<1>();
    hd::tmaWait<0>();
  }
  hd::registersDec<40>();
  hd::registersInc<240>();
  hd::mbarrierArrive(bar);
  hd::mbarrierArriveIf(bar, hd::laneIndex() == 0);
  hd::mbarrierWait(bar, 0);
  hd::mbarrierWait(bar, 1);
  if (!hd::mbarrierTryWait(bar, 0))
    hd::warpSync();
  hd::barrierArrive(1, 256);
  hd::barrierSync(1, 256);
  hd::barrierMeet(2, 256);
  hd::fenceProxyAsync();
  hd::fenceProxyAsyncGlobal();
  hd::fenceGpu();
  hd::fenceSystem();
  hd::clusterArriveRelaxed();
  hd::clusterWait();
  hd::clusterArrive();
  hd::clusterWait();
  hd::clusterSync();
  hd::mbarrierArriveRemote(bar, hd::clusterRank() ^ 1);
  hd::mbarrierArriveCluster<2>(bar, hd::laneIndex());
  hd::mbarrierArriveCluster<2>(bar);
  hd::mbarrierArriveRemoteIf(bar, hd::clusterSize() - 1, hd::laneIndex() == 0);
}

template <class T> __device__ void vectors(uint32_t s, char *g) {
  hd::holdsAnything(s, 16, 1, 16);
  T x = hd::ldShared<T>(s);
  hd::stGlobal(g, x);
  x = hd::ldGlobal<T>(g + 64);
  hd::stShared(s + 64, x);
  hd::stShared(s + 128, hd::ldGlobalReadOnly<T>(g + 128));
}

template <class T> __device__ float narrow(float x) { return hd::toFloat(hd::convert<T>(x)); }

extern "C" __global__ void scalars(char *g, float *out, float x) {
  extern __shared__ __align__(1024) char smem[];
  uint32_t s = hd::smemAddr(smem) + hd::swizzle<128>(threadIdx.x * 16) + hd::opaqueZero();
  vectors<uint16_t>(s, g);
  vectors<uint32_t>(s, g);
  vectors<float>(s, g);
  vectors<hd::u32x2>(s, g);
  vectors<hd::f32x2>(s, g);
  vectors<hd::u32x4>(s, g);
  vectors<hd::f32x4>(s, g);
  uint32_t r0, r1, r2, r3;
  hd::ldmatrix2(s, r0, r1);
  hd::ldmatrix2Trans(s, r2, r3);
  hd::stmatrix2(s, r0, r1);
  hd::stmatrix2Trans(s, r2, r3);
  hd::ldmatrix4(s, r0, r1, r2, r3);
  hd::stmatrix4(s, r0, r1, r2, r3);
  hd::ldmatrix4Trans(s, r0, r1, r2, r3);
  hd::stmatrix4Trans(s, r0, r1, r2, r3);
  float y = narrow<hd::f16>(x) + narrow<hd::bf16>(x) + narrow<hd::e4m3>(x) + narrow<hd::e5m2>(x) +
            narrow<float>(x);
  y += hd::unpackLo<hd::f16>(hd::pack<hd::f16>(x, y)) +
       hd::unpackHi<hd::bf16>(hd::pack<hd::bf16>(x, y));
  uint32_t pair = hd::pack<hd::f16>(x, y);
  y += hd::unpackLo<hd::f16>(hd::widen2<hd::e4m3, hd::f16>(pair) + hd::widen2<hd::e5m2, hd::f16>(pair) +
                             hd::widen2<hd::s8, hd::f16>(pair)) +
       hd::unpackLo<hd::bf16>(hd::widen2<hd::e4m3, hd::bf16>(pair) + hd::widen2<hd::e5m2, hd::bf16>(pair));
  y += hd::unpackLo<hd::f16>(hd::add2(hd::mul2(pair, pair), hd::sub2(pair, pair)));
  y += hd::toTf32(x) +
       __uint_as_float(hd::pack4x8<hd::e4m3>(x, y, x, y) + hd::pack4x8<hd::e5m2>(x, y, x, y));
  y = hd::timesUnlessOne(y, x);
  y += hd::ex2(x) + hd::lg2(x) + hd::rcp(x) + hd::rsqrt(x) + hd::sqrtApprox(x) + hd::tanhApprox(x);
  y += hd::tanh(x) + hd::sin(x) + hd::cos(x) + hd::powi(x, 3) + hd::powi(x, int64_t(-3));
  y += static_cast<float>(hd::powi(static_cast<double>(x), 3));
  y += float(hd::multiplyHigh(int(x), 77) ^ hd::multiplyLow(int(x), 77));
  y = hd::fma(hd::fmax(y, x), hd::fmin(y, -hd::infinity()), hd::fabs(x));
  y += hd::quadMax(y) + hd::quadSum(y) + hd::warpMax(y) + hd::warpSum(y);
  y += hd::shfl(y, 3) + hd::shflXor(y, 4) + hd::shflUp(y, 1) + hd::shflDown(y, 1);
  uint32_t words[4] = {__float_as_uint(x), __float_as_uint(y), 1, 2};
  hd::exchangeLanes<1, 0, 1, 0x5410, 0x7632>(words, words, hd::laneIndex() >> 1 & 2);
  y += __uint_as_float(hd::permuteBytes(words[0], words[3], 0x5410));
  hd::addGlobal(out + hd::ceilDiv(hd::min(r0, 3), hd::max(r1, 1)), y);
}

// The constants that the layouts rest on.
static_assert(hd::swizzle<128>(128 * 3 + 16 * 5) == 128 * 3 + 16 * (5 ^ 3), "row 3, chunk 5");
static_assert(hd::swizzle<64>(64 * 5 + 16 * 1) == 64 * 5 + 16 * (1 ^ 2),
              "row 5, chunk 1: c ^ (r/2 % 4)");
static_assert(hd::swizzle<32>(32 * 4) == 32 * 4 + 16, "row 4, chunk 0: c ^ (r/4 % 2)");
static_assert(hd::swizzle<0>(1234) == 1234, "no swizzle");
static_assert(hd::descK<128>(1024) == (64ull | 1ull << 16 | 64ull << 32 | 1ull << 62),
              "K-major, 128 B");
static_assert(hd::descMN<64>(512, 64) == (32ull | 256ull << 16 | 32ull << 32 | 2ull << 62),
              "MN-major, 64 B");
static_assert(hd::descAdvance(hd::descK<128>(1024), 32) == hd::descK<128>(1056), "advance");
static_assert(sizeof(hd::TensorMap) == 128 && alignof(hd::TensorMap) == 64, "ABI of CUtensorMap");
