//===- tma.cu - TMA loads, stores and reductions by box; plain global loads -------------------===//
//
// Kernels: load_latency   one box at a time: issue -> data there
//          load_rate, load_rate2, load_rate4  rings of `ring` boxes in flight, of a thread of each of 1, 2, 4 warps;
//                         rate of the engine (1 CTA) or of the chip
//          load_issue, store_issue  4 in a row; cycles until the thread has issued them, summed over trips
//          store_latency, store_read_latency, store_rate, reduce_...: as above; _read: until the source may be reused
//          global_latency, global_rate[_<J>], global_store[_<J>]: 16 bytes a thread, J (8) in flight; 1 or 4 warp
//          groups
//          copy_rate, copy_latency, copy_issue[_<J>]: the same to shared memory (cp.async), with two trips in flight or
//          one; issue: cycles until the group has issued J, summed over trips
// Boxes:   64 f16 (128 bytes) x rows, or 32 f32 x rows for the reductions; CTA b visits boxes b * span + i % span; span
//          is a power of two; negative: every CTA visits the same boxes.
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

/// The elected thread reports for its warp.
__device__ __forceinline__ void finish(Cycles *out, Cycles start, Cycles end) {
  out[blockIdx.x * 16 + threadIdx.x / 32 * 2] = start;
  out[blockIdx.x * 16 + threadIdx.x / 32 * 2 + 1] = end;
}

/// Row where box number i of this CTA starts.
__device__ __forceinline__ int boxRow(int i, int rows, int span) {
  int first = span < 0 ? 0 : static_cast<int>(blockIdx.x) * span, size = span < 0 ? -span : span;
  return (first + (i & (size - 1))) * rows;
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

template <int Warps>
__device__ __forceinline__ void loadRate(Cycles *out, int trips, int rows, int span, int ring, const void *map) {
  uint32_t base = hd::smemAddr(smem);
  int warp = Warps == 1 ? 0 : threadIdx.x / 32;
  initBars(base, ring * Warps);
  if (!hd::electOne())
    return;
  uint32_t bars = base + 8 * ring * warp, slots = base + kBars + ring * warp * rows * 128;
  Cycles start = now();
  int slot = 0, phase = 1; // phase 1: fresh barriers pass at once
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    uint32_t bar = bars + 8 * slot;
    hd::mbarrierWait(bar, phase);
    hd::mbarrierExpectTx(bar, rows * 128);
    hd::tmaLoad(slots + slot * rows * 128, map, bar, 0, boxRow(i * Warps + warp, rows, span));
    slot = slot + 1 == ring ? 0 : slot + 1;
    phase ^= slot == 0;
  }
  for (int i = 0; i < ring; ++i) { // drain: the last load of every slot
    hd::mbarrierWait(bars + 8 * slot, phase);
    slot = slot + 1 == ring ? 0 : slot + 1;
    phase ^= slot == 0;
  }
  finish(out, start, now());
}
extern "C" __global__ void __launch_bounds__(32, 1)
    cal_load_rate(Cycles *out, int trips, int rows, int span, int ring, const __grid_constant__ hd::TensorMap map) {
  loadRate<1>(out, trips, rows, span, ring, &map);
}
extern "C" __global__ void __launch_bounds__(64, 1)
    cal_load_rate2(Cycles *out, int trips, int rows, int span, int ring, const __grid_constant__ hd::TensorMap map) {
  loadRate<2>(out, trips, rows, span, ring, &map);
}
extern "C" __global__ void __launch_bounds__(128, 1)
    cal_load_rate4(Cycles *out, int trips, int rows, int span, int ring, const __grid_constant__ hd::TensorMap map) {
  loadRate<4>(out, trips, rows, span, ring, &map);
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

template <bool Add, Until U>
__device__ __forceinline__ void storeLatency(Cycles *out, int trips, int rows, int span, const void *map) {
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
template <bool Add>
__device__ __forceinline__ void storeRate(Cycles *out, int trips, int rows, int span, const void *map) {
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

/// 4 stores in a row, then waited for.
template <bool Add>
__device__ __forceinline__ void storeIssue(Cycles *out, int trips, int rows, int span, const void *map) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kBars + 4 * rows * 128);
  if (!hd::electOne())
    return;
  Cycles total = 0;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    Cycles start = now();
#pragma unroll
    for (int j = 0; j < 4; ++j)
      put<Add>(map, base + kBars + j * rows * 128, boxRow(i * 4 + j, rows, span));
    total += now() - start;
    hd::tmaWait<0>();
  }
  finish(out, 0, total);
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
STORE(store_issue, storeIssue<false>)
STORE(reduce_issue, storeIssue<true>)

/// Piece of 16 KB number i of this warp group: CTA b has `span` pieces, which its warp groups take in turn.
__device__ __forceinline__ uint64_t pieceOffset(int i, int span) {
  int groups = blockDim.x / 128, piece = (i * groups + static_cast<int>(threadIdx.x) / 128) & (span - 1);
  return (static_cast<uint64_t>(blockIdx.x) * span + piece) * 16384 + threadIdx.x % 128 * 16;
}

/// Each trip a warp group loads J x 16 bytes a thread (J * 2 KB).
template <int J> __device__ __forceinline__ void globalRate(Cycles *out, int trips, int span, const char *data) {
  uint32_t x = 0;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    const char *piece = data + pieceOffset(i, span);
    hd::u32x4 v[J];
#pragma unroll
    for (int j = 0; j < J; ++j)
      v[j] = hd::ldGlobalReadOnly<hd::u32x4>(piece + j * 2048);
#pragma unroll
    for (int j = 0; j < J; ++j)
      x ^= v[j].v[0] ^ v[j].v[1] ^ v[j].v[2] ^ v[j].v[3];
  }
  Cycles end = now();
  sink(out, x);
  report(out, hd::warpgroupIndex(), start, end);
}

/// Each trip a warp group copies as much to shared memory (cp.async), and waits for the copies of the trip before.
template <int J, int Ahead> __device__ __forceinline__ void globalCopy(Cycles *out, int trips, int span, char *data) {
  uint32_t to = hd::smemAddr(smem) + (threadIdx.x / 128) * (2 * J * 2048) + threadIdx.x % 128 * 16;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    const char *piece = data + pieceOffset(i, span);
#pragma unroll
    for (int j = 0; j < J; ++j)
      hd::copyAsync(to + ((i & 1) * J + j) * 2048, piece + j * 2048, true);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(Ahead) : "memory");
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  Cycles end = now();
  report(out, hd::warpgroupIndex(), start, end);
}

/// What the issue of J copies takes a warp group, `trips` times without a wait.
template <int J> __device__ __forceinline__ void globalCopyIssue(Cycles *out, int trips, int span, char *data) {
  uint32_t to = hd::smemAddr(smem) + threadIdx.x * 16;
  Cycles issued = 0;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    const char *piece = data + pieceOffset(i, span);
    Cycles start = now();
#pragma unroll
    for (int j = 0; j < J; ++j)
      hd::copyAsync(to + j * 2048, piece + j * 2048, true);
    issued += now() - start;
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  report(out, hd::warpgroupIndex(), 0, issued);
}

template <int J> __device__ __forceinline__ void globalStore(Cycles *out, int trips, int span, char *data) {
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    char *piece = data + pieceOffset(i, span);
#pragma unroll
    for (int j = 0; j < J; ++j)
      hd::stGlobal(piece + j * 2048, hd::u32x4{{0, 0, 0, 0}});
  }
  Cycles end = now();
  report(out, hd::warpgroupIndex(), start, end);
}

#define GLOBAL(NAME, ...)                                                                           \
  extern "C" __global__ void __launch_bounds__(512, 1)                                              \
      cal_##NAME(Cycles *out, int trips, int, int span, int, char *data) {                          \
    __VA_ARGS__(out, trips, span, data);                                                            \
  }
GLOBAL(global_rate, globalRate<8>)
GLOBAL(global_rate_4, globalRate<4>)
GLOBAL(global_rate_2, globalRate<2>)
GLOBAL(copy_rate, globalCopy<8, 1>)
GLOBAL(copy_rate_4, globalCopy<4, 1>)
GLOBAL(copy_rate_2, globalCopy<2, 1>)
GLOBAL(copy_latency, globalCopy<8, 0>)
GLOBAL(copy_latency_4, globalCopy<4, 0>)
GLOBAL(copy_latency_2, globalCopy<2, 0>)
GLOBAL(copy_issue, globalCopyIssue<8>)
GLOBAL(copy_issue_4, globalCopyIssue<4>)
GLOBAL(copy_issue_2, globalCopyIssue<2>)
GLOBAL(global_store, globalStore<8>)
GLOBAL(global_store_4, globalStore<4>)
GLOBAL(global_store_2, globalStore<2>)

/// Each trip waits for the trip before: the data (zero) enter the address.
extern "C" __global__ void __launch_bounds__(128, 1)
    cal_global_latency(Cycles *out, int trips, int, int span, int, const char *data) {
  uint32_t x = 0;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    const char *piece =
        data + (static_cast<uint64_t>(blockIdx.x) * span + (i & (span - 1))) * 16384 + threadIdx.x * 16 + x;
    x = hd::ldGlobalReadOnly<hd::u32x4>(piece).v[0];
  }
  Cycles end = now();
  sink(out, x);
  report(out, 0, start, end);
}
