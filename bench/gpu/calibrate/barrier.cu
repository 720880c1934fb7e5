//===- barrier.cu - synchronisation and hand-over between two warp groups ---------------------===//
//
// Kernels: mbar_{warp,all}[_<R>], named[_<R>]: ping-pong. Warp group 0 writes R registers a thread to shared memory
//          (16-byte stores), signals; warp group 1 waits, reads them, writes them to a second buffer, signals back.
//          One trip is two hand-overs, and the data make each wait for the one before. R = 0: the barrier alone.
//          mbar_warp: one arrival a warp, after warp sync; mbar_all: every thread arrives; named: bar.arrive/bar.sync.
//          _fence: with fence.proxy.async before the signal, as a consumer that is wgmma or TMA needs.
//          mbar_self, named_self: 128 threads arrive and wait for themselves.
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

enum class Kind { MbarWarp, MbarAll, Named };

template <int R> __device__ __forceinline__ void writeTile(uint32_t base, const uint32_t (&x)[R]) {
#pragma unroll
  for (int j = 0; j < R / 4; ++j)
    hd::stShared(base + j * 2048 + threadIdx.x % 128 * 16, hd::u32x4{{x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]}});
}
template <int R> __device__ __forceinline__ void readTile(uint32_t base, uint32_t (&x)[R]) {
#pragma unroll
  for (int j = 0; j < R / 4; ++j) {
    hd::u32x4 v = hd::ldShared<hd::u32x4>(base + j * 2048 + threadIdx.x % 128 * 16);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      x[4 * j + i] = v.v[i];
  }
}

template <Kind K, bool Fence> __device__ __forceinline__ void signal(uint32_t bar, int id) {
  if constexpr (Fence)
    hd::fenceProxyAsync();
  if constexpr (K == Kind::Named) {
    hd::barrierArrive(id, 256);
  } else if constexpr (K == Kind::MbarAll) {
    hd::mbarrierArrive(bar);
  } else {
    hd::warpSync();
    hd::mbarrierArriveIf(bar, hd::laneIndex() == 0);
  }
}
template <Kind K> __device__ __forceinline__ void await(uint32_t bar, int id, uint32_t parity) {
  if constexpr (K == Kind::Named)
    hd::barrierSync(id, 256);
  else
    hd::mbarrierWait(bar, parity);
}

/// REGS registers a thread in each direction (0: only the barrier); x0 starts the data.
template <Kind K, int REGS, bool Fence> __device__ __forceinline__ void pingPong(Cycles *out, int trips) {
  constexpr int R = REGS == 0 ? 4 : REGS;
  uint32_t base = hd::smemAddr(smem), bar0 = base, bar1 = base + 8, there = base + 1024, back = there + 65536;
  if (threadIdx.x == 0) {
    uint32_t count = K == Kind::MbarAll ? 128 : 4;
    hd::mbarrierInit(bar0, count);
    hd::mbarrierInit(bar1, count);
    hd::mbarrierFenceInit();
  }
  int wg = hd::warpgroupIndex();
  uint32_t x[R];
#pragma unroll
  for (int i = 0; i < R; ++i)
    x[i] = threadIdx.x + i;
  __syncthreads();
  uint32_t parity = 0;
  Cycles start = now();
  if (wg == 0) {
#pragma unroll 1
    for (int i = 0; i < trips; ++i) {
      if constexpr (REGS != 0)
        writeTile(there, x);
      signal<K, Fence>(bar0, 1);
      await<K>(bar1, 2, parity);
      if constexpr (REGS != 0)
        readTile(back, x);
      parity ^= 1;
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < trips; ++i) {
      await<K>(bar0, 1, parity);
      if constexpr (REGS != 0) {
        readTile(there, x);
        writeTile(back, x);
      }
      signal<K, Fence>(bar1, 2);
      parity ^= 1;
    }
  }
  Cycles end = now();
  uint32_t s = 0;
#pragma unroll
  for (int i = 0; i < R; ++i)
    s ^= x[i];
  sink(out, s);
  report(out, wg, start, end);
}

template <bool Named> __device__ __forceinline__ void self(Cycles *out, int trips) {
  uint32_t bar = hd::smemAddr(smem);
  if (threadIdx.x == 0) {
    hd::mbarrierInit(bar, 128);
    hd::mbarrierFenceInit();
  }
  __syncthreads();
  uint32_t parity = 0;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    if constexpr (Named) {
      hd::barrierSync(1, 128);
    } else {
      hd::mbarrierArrive(bar);
      hd::mbarrierWait(bar, parity);
      parity ^= 1;
    }
  }
  Cycles end = now();
  report(out, hd::warpgroupIndex(), start, end);
}

#define PING(NAME, KIND, REGS, FENCE)                                                               \
  extern "C" __global__ void __launch_bounds__(256, 1) cal_##NAME(Cycles *out, int trips) {         \
    pingPong<Kind::KIND, REGS, FENCE>(out, trips);                                                  \
  }
#define SIZES(NAME, KIND)                                                                           \
  PING(NAME, KIND, 0, false)                                                                        \
  PING(NAME##_4, KIND, 4, false)                                                                    \
  PING(NAME##_16, KIND, 16, false)                                                                  \
  PING(NAME##_32, KIND, 32, false)                                                                  \
  PING(NAME##_64, KIND, 64, false)                                                                  \
  PING(NAME##_32_fence, KIND, 32, true)                                                             \
  PING(NAME##_64_fence, KIND, 64, true)
SIZES(mbar_warp, MbarWarp)
SIZES(mbar_all, MbarAll)
SIZES(named, Named)
extern "C" __global__ void __launch_bounds__(128, 1) cal_mbar_self(Cycles *out, int trips) { self<false>(out, trips); }
extern "C" __global__ void __launch_bounds__(128, 1) cal_named_self(Cycles *out, int trips) { self<true>(out, trips); }
