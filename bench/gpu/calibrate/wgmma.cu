//===- wgmma.cu - tensor-core rate, drain and issue by N and source of A ----------------------===//
//
// Forms:   ss, rs: f16 with A from shared memory, registers; bt: ss with an N-major B; f8, f8rs: e4m3
// Kernels: stream_{ss,rs}_n<N>   groups of 4 x m64nN (32 bytes of K), one group left in flight; one or two warp groups
//          drain<S>_{ss,rs}_n<N> groups of S, drained each time: issue -> wait
//          issue{1,4,8}_{ss,rs}_n<N>  cycles from the first of so many instructions to the end of commit, drained each
//          time;
//                                reported as end - start summed over trips
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

template <int N, bool RS, int STEPS, int PENDING, class T = f16, int TransB = 0>
__device__ __forceinline__ void wgmmaKernel(Cycles *out, int trips) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kTensorBytes);
  float d[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i)
    d[i] = 0;
  uint32_t a[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    a[i] = hd::ldShared<uint32_t>(base + 4 * i);
  Cycles start = now();
  tensorLoop<N, RS, STEPS, PENDING, T, TransB>(d, base, trips, a);
  Cycles end = now();
  sink(out, sum(d));
  report(out, hd::warpgroupIndex(), start, end);
}

template <int N, bool RS, int STEPS> __device__ __forceinline__ void issueKernel(Cycles *out, int trips) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kTensorBytes);
  float d[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i)
    d[i] = 0;
  uint32_t a[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    a[i] = hd::ldShared<uint32_t>(base + 4 * i);
  uint64_t descA = hd::descK<128>(base), descB = hd::descK<128>(base + 8192);
  Cycles total = 0;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    hd::fenceOperand(d);
    Cycles start = now();
    hd::wgmmaFence();
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      uint64_t b = hd::descAdvance(descB, s % 4 * 32);
      if constexpr (RS)
        hd::wgmmaRS<N, f16>(d, a[0], a[1], a[2], a[3], b, 1);
      else
        hd::wgmmaSS<N, f16>(d, hd::descAdvance(descA, s % 4 * 32), b, 1);
    }
    hd::wgmmaCommit();
    total += now() - start;
    hd::wgmmaWait<0>();
    hd::fenceOperand(d);
  }
  sink(out, sum(d));
  report(out, hd::warpgroupIndex(), 0, total);
}

#define KERNELS(N, NAME, RS)                                                                        \
  extern "C" __global__ void __launch_bounds__(256, 1) stream_##NAME##_n##N(Cycles *out, int trips) { \
    wgmmaKernel<N, RS, 4, 1>(out, trips);                                                           \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) drain1_##NAME##_n##N(Cycles *out, int trips) { \
    wgmmaKernel<N, RS, 1, 0>(out, trips);                                                           \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) drain4_##NAME##_n##N(Cycles *out, int trips) { \
    wgmmaKernel<N, RS, 4, 0>(out, trips);                                                           \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) drain8_##NAME##_n##N(Cycles *out, int trips) { \
    wgmmaKernel<N, RS, 8, 0>(out, trips);                                                           \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) issue1_##NAME##_n##N(Cycles *out, int trips) { \
    issueKernel<N, RS, 1>(out, trips);                                                              \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) issue4_##NAME##_n##N(Cycles *out, int trips) { \
    issueKernel<N, RS, 4>(out, trips);                                                              \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(256, 1) issue8_##NAME##_n##N(Cycles *out, int trips) { \
    issueKernel<N, RS, 8>(out, trips);                                                              \
  }
#define MORE(N, NAME, ...)                                                                          \
  extern "C" __global__ void __launch_bounds__(256, 1) stream_##NAME##_n##N(Cycles *out, int trips) { \
    wgmmaKernel<N, __VA_ARGS__>(out, trips);                                                        \
  }
#define MORE_DRAIN(N, NAME, ...)                                                                    \
  extern "C" __global__ void __launch_bounds__(256, 1) drain4_##NAME##_n##N(Cycles *out, int trips) { \
    wgmmaKernel<N, __VA_ARGS__>(out, trips);                                                        \
  }
#define BOTH(N) KERNELS(N, ss, false) KERNELS(N, rs, true)
#define OTHERS(N)                                                                                   \
  MORE(N, bt, false, 4, 1, f16, 1) MORE_DRAIN(N, bt, false, 4, 0, f16, 1)                           \
  MORE(N, f8, false, 4, 1, hd::e4m3) MORE_DRAIN(N, f8, false, 4, 0, hd::e4m3)                       \
  MORE(N, f8rs, true, 4, 1, hd::e4m3) MORE_DRAIN(N, f8rs, true, 4, 0, hd::e4m3)
BOTH(8)
BOTH(16)
BOTH(24)
BOTH(32)
BOTH(48)
BOTH(64)
BOTH(96)
BOTH(128)
BOTH(160)
BOTH(192)
BOTH(224)
BOTH(256)
OTHERS(64)
OTHERS(128)
OTHERS(256)
