//===- tma.cu - TMA loads, stores and reductions by box; plain global loads -------------------===//
//
// Kernels: load_latency   one box at a time: issue -> data there
//          load_rate      a ring of `ring` boxes in flight, one thread; rate of the engine (1 CTA) or of the chip
//          load_issue     4 loads in a row; cycles until the thread has issued them, summed over trips
//          store_latency, store_read_latency, store_rate, reduce_...: as above; _read: until the source may be reused
//          global_latency, global_rate: 16-byte loads of one warp group, 8 in flight a thread
// Boxes:   64 f16 (128 bytes) x rows, or 32 f32 x rows for the reductions; CTA b visits boxes b * span + i % span; span is a power of two.
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];
constexpr uint32_t kBars = 1024; // the ring starts here

__device__ __forceinline__ void initBars(uint32_t base, int count) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < count; ++i)
      hd::mbarrierInit(base + 8 * i, 1);
    hd::mbarrierFenceInit();
  }
  __syncthreads();
}

/// The elected thread reports for its CTA.
__device__ __forceinline__ void finish(Cycles *out, Cycles start, Cycles end) {
  out[blockIdx.x * 16] = start;
  out[blockIdx.x * 16 + 1] = end;
}

/// Row where box number i of this CTA starts.
__device__ __forceinline__ int boxRow(int i, int rows, int span) {
  return static_cast<int>((blockIdx.x * span + (i & (span - 1))) * rows);
}

extern "C" __global__ void __launch_bounds__(32, 1)
    cal_load_latency(Cycles *out, int trips, int rows, int span, int, const __grid_constant__ hd::TensorMap map) {
  uint32_t base = hd::smemAddr(smem);
  initBars(base, 1);
  if (!hd::electOne())
    return;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    hd::mbarrierExpectTx(base, rows * 128);
    hd::tmaLoad(base + kBars, &map, base, 0, boxRow(i, rows, span));
    hd::mbarrierWait(base, i & 1);
  }
  finish(out, start, now());
}

extern "C" __global__ void __launch_bounds__(32, 1)
    cal_load_rate(Cycles *out, int trips, int rows, int span, int ring, const __grid_constant__ hd::TensorMap map) {
  uint32_t base = hd::smemAddr(smem);
  initBars(base, ring);
  if (!hd::electOne())
    return;
  Cycles start = now();
  int slot = 0, phase = 1; // phase 1: fresh barriers pass at once
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    uint32_t bar = base + 8 * slot;
    hd::mbarrierWait(bar, phase);
    hd::mbarrierExpectTx(bar, rows * 128);
    hd::tmaLoad(base + kBars + slot * rows * 128, &map, bar, 0, boxRow(i, rows, span));
    slot = slot + 1 == ring ? 0 : slot + 1;
    phase ^= slot == 0;
  }
  for (int i = 0; i < ring; ++i) { // drain: the last load of every slot
    hd::mbarrierWait(base + 8 * slot, phase);
    slot = slot + 1 == ring ? 0 : slot + 1;
    phase ^= slot == 0;
  }
  finish(out, start, now());
}

extern "C" __global__ void __launch_bounds__(32, 1)
    cal_load_issue(Cycles *out, int trips, int rows, int span, int, const __grid_constant__ hd::TensorMap map) {
  uint32_t base = hd::smemAddr(smem);
  initBars(base, 4);
  if (!hd::electOne())
    return;
  Cycles total = 0;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    Cycles start = now();
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      hd::mbarrierExpectTx(base + 8 * j, rows * 128);
      hd::tmaLoad(base + kBars + j * rows * 128, &map, base + 8 * j, 0, boxRow(i * 4 + j, rows, span));
    }
    total += now() - start;
#pragma unroll
    for (int j = 0; j < 4; ++j)
      hd::mbarrierWait(base + 8 * j, i & 1);
  }
  finish(out, 0, total);
}

enum class Until { Written, Read };

template <bool Add> __device__ __forceinline__ void put(const void *map, uint32_t src, int row) {
  if constexpr (Add)
    hd::tmaStoreAdd(map, src, 0, row);
  else
    hd::tmaStore(map, src, 0, row);
  hd::tmaCommit();
}

template <bool Add, Until U> __device__ __forceinline__ void storeLatency(Cycles *out, int trips, int rows, int span, const void *map) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kBars + rows * 128);
  if (!hd::electOne())
    return;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    put<Add>(map, base + kBars, boxRow(i, rows, span));
    if constexpr (U == Until::Read)
      hd::tmaWaitRead<0>();
    else
      hd::tmaWait<0>();
  }
  finish(out, start, now());
  hd::tmaWait<0>();
}

/// 4 stores in flight.
template <bool Add> __device__ __forceinline__ void storeRate(Cycles *out, int trips, int rows, int span, const void *map) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kBars + 4 * rows * 128);
  if (!hd::electOne())
    return;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    put<Add>(map, base + kBars + i % 4 * rows * 128, boxRow(i, rows, span));
    hd::tmaWaitRead<3>();
  }
  hd::tmaWait<0>();
  finish(out, start, now());
}

#define STORE(NAME, ...)                                                                            \
  extern "C" __global__ void __launch_bounds__(32, 1)                                               \
      cal_##NAME(Cycles *out, int trips, int rows, int span, int, const __grid_constant__ hd::TensorMap map) { \
    __VA_ARGS__(out, trips, rows, span, &map);                                                             \
  }
STORE(store_latency, storeLatency<false, Until::Written>)
STORE(store_read_latency, storeLatency<false, Until::Read>)
STORE(store_rate, storeRate<false>)
STORE(reduce_latency, storeLatency<true, Until::Written>)
STORE(reduce_rate, storeRate<true>)

/// Each trip one warp group loads 8 x 16 bytes a thread (16 KB), CTA b from its own `span` pieces of 16 KB.
extern "C" __global__ void __launch_bounds__(128, 1)
    cal_global_rate(Cycles *out, int trips, int, int span, int, const char *data) {
  uint32_t x = 0;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    const char *piece = data + (static_cast<uint64_t>(blockIdx.x) * span + (i & (span - 1))) * 16384 + threadIdx.x * 16;
    hd::u32x4 v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      v[j] = hd::ldGlobalReadOnly<hd::u32x4>(piece + j * 2048);
#pragma unroll
    for (int j = 0; j < 8; ++j)
      x ^= v[j].v[0] ^ v[j].v[1] ^ v[j].v[2] ^ v[j].v[3];
  }
  Cycles end = now();
  sink(out, x);
  report(out, 0, start, end);
}

/// Each trip waits for the trip before: the data (zero) enter the address.
extern "C" __global__ void __launch_bounds__(128, 1)
    cal_global_latency(Cycles *out, int trips, int, int span, int, const char *data) {
  uint32_t x = 0;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    const char *piece = data + (static_cast<uint64_t>(blockIdx.x) * span + (i & (span - 1))) * 16384 + threadIdx.x * 16 + x;
    x = hd::ldGlobalReadOnly<hd::u32x4>(piece).v[0];
  }
  Cycles end = now();
  sink(out, x);
  report(out, 0, start, end);
}

extern "C" __global__ void __launch_bounds__(128, 1)
    cal_global_store(Cycles *out, int trips, int, int span, int, char *data) {
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    char *piece = data + (static_cast<uint64_t>(blockIdx.x) * span + (i & (span - 1))) * 16384 + threadIdx.x * 16;
#pragma unroll
    for (int j = 0; j < 8; ++j)
      hd::stGlobal(piece + j * 2048, hd::u32x4{{0, 0, 0, 0}});
  }
  Cycles end = now();
  report(out, 0, start, end);
}
