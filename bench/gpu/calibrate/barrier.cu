//===- barrier.cu - synchronisation and hand-over between two warp groups ---------------------===//
//
// Kernels: mbar_{warp,all}[_<R>], named[_<R>]: ping-pong. Warp group 0 writes R registers a thread to shared memory
//          (16-byte stores), signals; warp group 1 waits, reads them, writes them to a second buffer, signals back.
//          One trip is two hand-overs, and the data make each wait for the one before. R = 0: the barrier alone.
//          mbar_warp: one arrival a warp, after warp sync; mbar_all: every thread arrives; named: bar.arrive/bar.sync.
//          _fence: with fence.proxy.async before the signal, as a consumer that is wgmma or TMA needs.
//          matrix_<R>: as mbar_warp_<R>, with stmatrix and ldmatrix x4 (f16 tile, 128-byte swizzle).
//          mbar_self, named_self: 128 threads arrive and wait for themselves; named_sync: all threads of the CTA do.
//          mbar_pass: a wait for a phase that is over; mbar_expect: arrive with expected bytes 0; one thread.
//          clock_gap: two reads of the clock with nothing in between, as the issue benchmarks take.
//          mbar_fan, named_fan: as the barrier alone, with two warp groups that wait and signal back (384 threads).
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

enum class Kind { MbarWarp, MbarAll, Named };

template <int R> __device__ __forceinline__ void writeTile(uint32_t base, const uint32_t (&x)[R]) {
#pragma unroll
  for (int j = 0; j < R / 4; ++j)
    hd::stShared(base + j * 2048 + threadIdx.x % 128 * 16,
                 hd::u32x4{{x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]}});
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

/// The same bytes as f16 tiles of 64 x 64 (R = 16 registers a thread each), rows of 128 bytes, swizzled.
__device__ __forceinline__ uint32_t matrixRow(uint32_t base, int j) {
  uint32_t t = threadIdx.x % 128, row = t / 32 * 16 + t % 16, col16 = j % 4 * 2 + t % 32 / 16;
  return base + j / 4 * 8192 + row * 128 + ((col16 ^ (row % 8)) * 16);
}
template <int R> __device__ __forceinline__ void writeMatrix(uint32_t base, const uint32_t (&x)[R]) {
#pragma unroll
  for (int j = 0; j < R / 4; ++j)
    hd::stmatrix4(matrixRow(base, j), x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]);
}
template <int R> __device__ __forceinline__ void readMatrix(uint32_t base, uint32_t (&x)[R]) {
#pragma unroll
  for (int j = 0; j < R / 4; ++j)
    hd::ldmatrix4(matrixRow(base, j), x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]);
}

template <Kind K, bool Fence> __device__ __forceinline__ void signal(uint32_t bar, int id, int threads = 256) {
  if constexpr (Fence)
    hd::fenceProxyAsync();
  if constexpr (K == Kind::Named) {
    hd::barrierArrive(id, threads);
  } else if constexpr (K == Kind::MbarAll) {
    hd::mbarrierArrive(bar);
  } else {
    hd::warpSync();
    hd::mbarrierArriveIf(bar, hd::laneIndex() == 0);
  }
}
template <Kind K> __device__ __forceinline__ void await(uint32_t bar, int id, uint32_t parity, int threads = 256) {
  if constexpr (K == Kind::Named)
    hd::barrierSync(id, threads);
  else
    hd::mbarrierWait(bar, parity);
}

/// REGS registers a thread in each direction (0: only the barrier); x0 starts the data.
template <Kind K, int REGS, bool Fence, bool Matrix = false>
__device__ __forceinline__ void pingPong(Cycles *out, int trips) {
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
  auto write = [&](uint32_t where) {
    if constexpr (REGS != 0 && Matrix)
      writeMatrix(where, x);
    else if constexpr (REGS != 0)
      writeTile(where, x);
  };
  auto read = [&](uint32_t where) {
    if constexpr (REGS != 0 && Matrix)
      readMatrix(where, x);
    else if constexpr (REGS != 0)
      readTile(where, x);
  };
  uint32_t parity = 0;
  Cycles start = now();
  if (wg == 0) {
#pragma unroll 1
    for (int i = 0; i < trips; ++i) {
      write(there);
      signal<K, Fence>(bar0, 1);
      await<K>(bar1, 2, parity);
      read(back);
      parity ^= 1;
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < trips; ++i) {
      await<K>(bar0, 1, parity);
      read(there);
      write(back);
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

/// Warp group 0 signals; groups 1 and 2 wait, then both signal back.
template <Kind K> __device__ __forceinline__ void fan(Cycles *out, int trips) {
  uint32_t bar0 = hd::smemAddr(smem), bar1 = bar0 + 8;
  if (threadIdx.x == 0) {
    hd::mbarrierInit(bar0, 4);
    hd::mbarrierInit(bar1, 8);
    hd::mbarrierFenceInit();
  }
  __syncthreads();
  int wg = hd::warpgroupIndex();
  uint32_t parity = 0;
  Cycles start = now();
  if (wg == 0) {
#pragma unroll 1
    for (int i = 0; i < trips; ++i) {
      signal<K, false>(bar0, 1, 384);
      await<K>(bar1, 2, parity, 384);
      parity ^= 1;
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < trips; ++i) {
      await<K>(bar0, 1, parity, 384);
      signal<K, false>(bar1, 2, 384);
      parity ^= 1;
    }
  }
  Cycles end = now();
  report(out, wg, start, end);
}

/// Every thread of the CTA synchronises with all others.
extern "C" __global__ void __launch_bounds__(512, 1) cal_named_sync(Cycles *out, int trips) {
  int threads = blockDim.x;
  __syncthreads();
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i)
    hd::barrierSync(1, threads);
  Cycles end = now();
  report(out, hd::warpgroupIndex(), start, end);
}

#define PING(NAME, KIND, ...)                                                                       \
  extern "C" __global__ void __launch_bounds__(256, 1) cal_##NAME(Cycles *out, int trips) {         \
    pingPong<Kind::KIND, __VA_ARGS__>(out, trips);                                                  \
  }
#define SIZES(NAME, KIND)                                                                           \
  PING(NAME, KIND, 0, false)                                                                        \
  PING(NAME##_4, KIND, 4, false)                                                                    \
  PING(NAME##_8, KIND, 8, false)                                                                    \
  PING(NAME##_16, KIND, 16, false)                                                                  \
  PING(NAME##_24, KIND, 24, false)                                                                  \
  PING(NAME##_32, KIND, 32, false)                                                                  \
  PING(NAME##_48, KIND, 48, false)                                                                  \
  PING(NAME##_64, KIND, 64, false)                                                                  \
  PING(NAME##_16_fence, KIND, 16, true)                                                             \
  PING(NAME##_32_fence, KIND, 32, true)                                                             \
  PING(NAME##_64_fence, KIND, 64, true)
SIZES(mbar_warp, MbarWarp)
SIZES(mbar_all, MbarAll)
SIZES(named, Named)
PING(matrix_16, MbarWarp, 16, false, true)
PING(matrix_32, MbarWarp, 32, false, true)
PING(matrix_64, MbarWarp, 64, false, true)
PING(matrix_16_fence, MbarWarp, 16, true, true)
PING(matrix_32_fence, MbarWarp, 32, true, true)
extern "C" __global__ void __launch_bounds__(384, 1) cal_mbar_fan(Cycles *out, int trips) {
  fan<Kind::MbarWarp>(out, trips);
}
extern "C" __global__ void __launch_bounds__(384, 1) cal_named_fan(Cycles *out, int trips) {
  fan<Kind::Named>(out, trips);
}
extern "C" __global__ void __launch_bounds__(128, 1) cal_mbar_self(Cycles *out, int trips) { self<false>(out, trips); }
extern "C" __global__ void __launch_bounds__(128, 1) cal_named_self(Cycles *out, int trips) { self<true>(out, trips); }
extern "C" __global__ void __launch_bounds__(128, 1) cal_clock_gap(Cycles *out, int trips) {
  Cycles total = 0;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    Cycles start = now();
    total += now() - start;
  }
  report(out, 0, 0, total);
}

/// One elected thread; its barrier has count 1.
template <bool Expect> __device__ __forceinline__ void alone(Cycles *out, int trips) {
  uint32_t bar = hd::smemAddr(smem);
  if (threadIdx.x == 0) {
    hd::mbarrierInit(bar, 1);
    hd::mbarrierFenceInit();
  }
  __syncthreads();
  if (!hd::electOne())
    return;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    if constexpr (Expect)
      hd::mbarrierExpectTx(bar, 0);
    else
      hd::mbarrierWait(bar, 1);
  }
  Cycles end = now();
  out[0] = start; // thread 0 need not be the elected one
  out[1] = end;
}
extern "C" __global__ void __launch_bounds__(32, 1) cal_mbar_pass(Cycles *out, int trips) { alone<false>(out, trips); }
extern "C" __global__ void __launch_bounds__(32, 1) cal_mbar_expect(Cycles *out, int trips) { alone<true>(out, trips); }
