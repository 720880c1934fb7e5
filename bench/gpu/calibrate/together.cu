//===- together.cu - what warp groups of one block do to each other ---------------------------===//
//
// Kernels: mix  group 0 streams m64n128k16 (where `products`), groups 1 to 3 each a kind of arithmetic on 64 registers
//               a thread, until `cycles` are over; out: rounds of each group (a round of group 0 is four products)
//          queue_<A>_<B>  group 0 issues A products, group 1 B, `at0` and `at1` cycles after a common time; out, for
//               each: first issue, last issue, end, relative to that time, means of 64 rounds
// Kinds:   see `body`. ptxas orders the instructions of a round as it likes, as it does in kernels.
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

constexpr int kinds = 14;

template <int K>
__device__ __forceinline__ void body(float (&r)[64], float c, float d, float (&sums)[4], uint32_t stores) {
  if constexpr (K == 8) { // softmax: maximum, exponentials with their multiply-adds, sums, narrowing, a scaled tile
    body<0>(r, c, d, sums, stores);
    body<5>(r, c, d, sums, stores);
    body<3>(r, c, d, sums, stores);
    body<4>(r, c, d, sums, stores);
    body<2>(r, c, d, sums, stores);
  }
#pragma unroll
  for (int i = 0; i < (K == 8 ? 0 : 64); ++i) {
    if constexpr (K == 0)
      asm volatile("max.f32 %0, %0, %1;" : "+f"(r[i]) : "f"(c));
    if constexpr (K == 1 || K == 5 || K == 6) {
      if constexpr (K != 1)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(r[i]) : "f"(c), "f"(d));
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(r[i]));
    }
    if constexpr (K == 2)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(r[i]) : "f"(c), "f"(d));
    if constexpr (K == 3 || K == 6) // four chains
      asm volatile("add.f32 %0, %0, %1;" : "+f"(sums[i % 4]) : "f"(r[i]));
    if constexpr (K == 4)
      if (i % 2 == 0)
        asm volatile("{ .reg .b32 t; cvt.rn.f16x2.f32 t, %0, %1; xor.b32 t, t, %2; mov.b32 %0, t; }"
                     : "+f"(r[i])
                     : "f"(r[i + 1]), "r"(stores));
    if constexpr (K == 9)
      asm volatile("{ .reg .b16 t; mov.b32 {t, _}, %0; cvt.f32.f16 %0, t; }" : "+f"(r[i]));
    if constexpr (K == 13) // never executed
      asm volatile("{ .reg .pred p; setp.eq.u32 p, %3, 1; @p fma.rn.f32 %0, %0, %1, %2; }"
                   : "+f"(r[i])
                   : "f"(c), "f"(d), "r"(stores));
    if constexpr (K == 10)
      asm volatile("ld.volatile.shared.f32 %0, [%1];"
                   : "=f"(r[i])
                   : "r"(stores + threadIdx.x % 32 * 4 + i * 128)
                   : "memory");
    if constexpr (K == 11)
      if (i % 2 == 0)
        asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];"
                     : "=f"(r[i]), "=f"(r[i + 1])
                     : "r"(stores + threadIdx.x % 32 * 8 + i * 128)
                     : "memory");
    if constexpr (K == 12)
      if (i % 4 == 0)
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(r[i]), "=f"(r[i + 1]), "=f"(r[i + 2]), "=f"(r[i + 3])
                     : "r"(stores + threadIdx.x % 32 * 16 + i * 128)
                     : "memory");
    if constexpr (K == 7)
      if (i % 2 == 0)
        hd::stShared(stores + (threadIdx.x % 128) * 4 + i * 256, __float_as_uint(r[i]));
  }
}

template <int K>
__device__ __forceinline__ uint32_t rounds(Cycles *out, Cycles until, float c, float d, uint32_t base) {
  float r[64], sums[4] = {};
#pragma unroll
  for (int i = 0; i < 64; ++i)
    r[i] = c * i;
  uint32_t n = 0;
  for (; now() < until; n += 4) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i)
      body<K>(r, c, d, sums, base + 49152);
  }
  sink(out, sum(r) + sum(sums));
  return n;
}

template <int K = 0>
__device__ __forceinline__ uint32_t arithmetic(int kind, Cycles *out, Cycles until, float c, float d, uint32_t base) {
  if constexpr (K < kinds)
    return kind == K ? rounds<K>(out, until, c, d, base) : arithmetic<K + 1>(kind, out, until, c, d, base);
  return 0;
}

extern "C" __global__ void __launch_bounds__(512, 1)
    mix(Cycles *out, int products, int kind1, int kind2, int kind3, float c, float d, int cycles) {
  uint32_t base = hd::smemAddr(smem), n = 0;
  clearShared(base, 49152);
  int group = hd::warpgroupIndex();
  Cycles until = now() + cycles;
  if (group == 0 && products) {
    float sums[64];
#pragma unroll
    for (int i = 0; i < 64; ++i)
      sums[i] = 0;
    uint32_t a[4] = {};
    auto *goOn = reinterpret_cast<volatile int *>(smem + 65600); // all four warps must agree
    while (true) {
      if (threadIdx.x == 0)
        *goOn = now() < until;
      asm volatile("bar.sync 2, 128;" ::: "memory");
      if (!*goOn)
        break;
      tensorLoop<128, false, 4, 1>(sums, base, 64, a);
      n += 64;
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
    sink(out, sum(sums));
  } else if (group) {
    n = arithmetic(group == 1 ? kind1 : group == 2 ? kind2 : kind3, out, until, c, d, base);
  }
  if (threadIdx.x % 128 == 0)
    out[group] = n;
}

template <int STEPS> __device__ __forceinline__ void issue(Cycles *out, int group, int at, uint32_t base) {
  float d[64];
#pragma unroll
  for (int i = 0; i < 64; ++i)
    d[i] = 0;
  uint64_t descA = hd::descK<128>(base), descB = hd::descK<128>(base + 8192);
  auto *common = reinterpret_cast<volatile Cycles *>(smem + 60000);
  Cycles first = 0, last = 0, end = 0;
#pragma unroll 1
  for (int i = 0; i < 64; ++i) {
    if (threadIdx.x == 0)
      *common = now() + 2000;
    asm volatile("bar.sync 1, 256;" ::: "memory");
    Cycles start = *common;
    asm volatile("bar.sync 1, 256;" ::: "memory");
    while (now() < start + at) {
    }
    hd::fenceOperand(d);
    hd::wgmmaFence();
    first += now() - start;
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
      hd::wgmmaSS<128, f16>(d, hd::descAdvance(descA, s % 4 * 32), hd::descAdvance(descB, s % 4 * 32), 1);
    hd::wgmmaCommit();
    last += now() - start;
    hd::wgmmaWait<0>();
    hd::fenceOperand(d);
    end += now() - start;
  }
  sink(out, sum(d));
  if (threadIdx.x % 128 == 0) {
    out[group * 3] = first / 64;
    out[group * 3 + 1] = last / 64;
    out[group * 3 + 2] = end / 64;
  }
}

#define QUEUE(A, B)                                                                                  \
  extern "C" __global__ void __launch_bounds__(256, 1) queue_##A##_##B(Cycles *out, int at0, int at1) { \
    uint32_t base = hd::smemAddr(smem);                                                              \
    clearShared(base, 49152);                                                                        \
    if (hd::warpgroupIndex() == 0)                                                                   \
      issue<A>(out, 0, at0, base);                                                                   \
    else                                                                                             \
      issue<B>(out, 1, at1, base);                                                                   \
  }
QUEUE(4, 16)
QUEUE(8, 8)
QUEUE(8, 16)
QUEUE(16, 8)
QUEUE(16, 16)
