//===- heddle_device/thread/tma.h - bulk and tensor copies (PTX ISA: cp.async.bulk) -----------===//
#ifndef HEDDLE_DEVICE_THREAD_TMA_H
#define HEDDLE_DEVICE_THREAD_TMA_H

#include "heddle_device/thread/copy.h"
#include "heddle_device/thread/fence.h"
#include "heddle_device/thread/mbarrier.h"
#include "heddle_device/thread/memory.h"

#include <stdint.h>

namespace hd {

// Every function here is for ONE thread. Coordinates are elements, innermost first.

/// L2 eviction hints (the constants that createpolicy.fractional.L2 gives for fraction 1).
constexpr uint64_t kEvictNormal = 0x1000000000000000ull;
constexpr uint64_t kEvictFirst = 0x12F0000000000000ull;
constexpr uint64_t kEvictLast = 0x14F0000000000000ull;

/// Loads the box at (c0, ...) into shared memory; completes the full box's bytes on `bar`.
/// PTX ISA: cp.async.bulk.tensor.
__device__ __forceinline__ void tmaLoad(uint32_t dst, const void *map, uint32_t bar, int c0) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3}], [%2];" ::"r"(dst),
               "l"(map), "r"(bar), "r"(c0)
               : "memory");
}
__device__ __forceinline__ void tmaLoad(uint32_t dst, const void *map, uint32_t bar, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4}], [%2];" ::"r"(dst),
               "l"(map), "r"(bar), "r"(c0), "r"(c1)
               : "memory");
}
__device__ __forceinline__ void tmaLoad(uint32_t dst, const void *map, uint32_t bar, int c0, int c1, int c2) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(dst),
               "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}
__device__ __forceinline__ void tmaLoad(uint32_t dst, const void *map, uint32_t bar, int c0, int c1, int c2, int c3) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(dst),
               "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}
__device__ __forceinline__ void tmaLoad(uint32_t dst, const void *map, uint32_t bar, int c0, int c1, int c2, int c3,
                                        int c4) {
  asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(dst),
               "l"(map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

/// With an L2 eviction hint.
__device__ __forceinline__ void tmaLoadHint(uint32_t dst, const void *map, uint32_t bar, uint64_t hint, int c0) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1, {%4}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "l"(hint), "r"(c0)
               : "memory");
}
__device__ __forceinline__ void tmaLoadHint(uint32_t dst, const void *map, uint32_t bar, uint64_t hint, int c0,
                                            int c1) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "l"(hint), "r"(c0), "r"(c1)
               : "memory");
}
__device__ __forceinline__ void tmaLoadHint(uint32_t dst, const void *map, uint32_t bar, uint64_t hint, int c0, int c1,
                                            int c2) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1, {%4, %5, %6}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "l"(hint), "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}
__device__ __forceinline__ void tmaLoadHint(uint32_t dst, const void *map, uint32_t bar, uint64_t hint, int c0, int c1,
                                            int c2, int c3) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1, {%4, %5, %6, %7}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "l"(hint), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}
__device__ __forceinline__ void tmaLoadHint(uint32_t dst, const void *map, uint32_t bar, uint64_t hint, int c0, int c1,
                                            int c2, int c3, int c4) {
  asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1, {%4, %5, %6, %7, %8}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "l"(hint), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

/// To the same offset (data and barrier) of each CTA of the cluster whose bit is set in `mask`.
__device__ __forceinline__ void tmaLoadMulticast(uint32_t dst, const void *map, uint32_t bar, uint16_t mask, int c0) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes."
               "multicast::cluster "
               "[%0], [%1, {%4}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "h"(mask), "r"(c0)
               : "memory");
}
__device__ __forceinline__ void tmaLoadMulticast(uint32_t dst, const void *map, uint32_t bar, uint16_t mask, int c0,
                                                 int c1) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
               "multicast::cluster "
               "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1)
               : "memory");
}
__device__ __forceinline__ void tmaLoadMulticast(uint32_t dst, const void *map, uint32_t bar, uint16_t mask, int c0,
                                                 int c1, int c2) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes."
               "multicast::cluster "
               "[%0], [%1, {%4, %5, %6}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}
__device__ __forceinline__ void tmaLoadMulticast(uint32_t dst, const void *map, uint32_t bar, uint16_t mask, int c0,
                                                 int c1, int c2, int c3) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes."
               "multicast::cluster "
               "[%0], [%1, {%4, %5, %6, %7}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}
__device__ __forceinline__ void tmaLoadMulticast(uint32_t dst, const void *map, uint32_t bar, uint16_t mask, int c0,
                                                 int c1, int c2, int c3, int c4) {
  asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes."
               "multicast::cluster "
               "[%0], [%1, {%4, %5, %6, %7, %8}], [%2], %3;" ::"r"(dst),
               "l"(map), "r"(bar), "h"(mask), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

/// Stores the box at (c0, ...); what lies outside the tensor is dropped.
__device__ __forceinline__ void tmaStore(const void *map, uint32_t src, int c0) {
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%2}], [%1];" ::"l"(map), "r"(src), "r"(c0)
               : "memory");
}
__device__ __forceinline__ void tmaStore(const void *map, uint32_t src, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(src),
               "r"(c0), "r"(c1)
               : "memory");
}
__device__ __forceinline__ void tmaStore(const void *map, uint32_t src, int c0, int c1, int c2) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map), "r"(src),
               "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}
__device__ __forceinline__ void tmaStore(const void *map, uint32_t src, int c0, int c1, int c2, int c3) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
               "r"(src), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}
__device__ __forceinline__ void tmaStore(const void *map, uint32_t src, int c0, int c1, int c2, int c3, int c4) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
               "r"(src), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

/// Adds the box to global memory.
__device__ __forceinline__ void tmaStoreAdd(const void *map, uint32_t src, int c0) {
  asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%0, {%2}], [%1];" ::"l"(map),
               "r"(src), "r"(c0)
               : "memory");
}
__device__ __forceinline__ void tmaStoreAdd(const void *map, uint32_t src, int c0, int c1) {
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(src), "r"(c0), "r"(c1)
               : "memory");
}
__device__ __forceinline__ void tmaStoreAdd(const void *map, uint32_t src, int c0, int c1, int c2) {
  asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.bulk_group [%0, {%2, %3, "
               "%4}], [%1];" ::"l"(map),
               "r"(src), "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}
__device__ __forceinline__ void tmaStoreAdd(const void *map, uint32_t src, int c0, int c1, int c2, int c3) {
  asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.bulk_group [%0, {%2, %3, %4, "
               "%5}], [%1];" ::"l"(map),
               "r"(src), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}
__device__ __forceinline__ void tmaStoreAdd(const void *map, uint32_t src, int c0, int c1, int c2, int c3, int c4) {
  asm volatile("cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.bulk_group [%0, {%2, %3, %4, "
               "%5, %6}], [%1];" ::"l"(map),
               "r"(src), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

/// 1-D copies; addresses and size are multiples of 16 bytes. PTX ISA: cp.async.bulk.
__device__ __forceinline__ void bulkLoad(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst),
               "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar)
               : "memory");
}
/// N elements of a row from its element `first` on, zeros where they are not below `size`; one thread. `bar` gets one
/// arrival, with the bytes or behind them: a bulk copy where all are inside and at a multiple of 16 bytes, else copies
/// of the elements, which hold no register, or for want of such copies loads and stores of small ones. (The slot may be
/// a bulk copy's next time: their writes are ordered by the proxy fence of a reader, or by the one here.)
template <int N, typename T>
__device__ __forceinline__ void rowLoad(uint32_t dst, const T *row, int first, int size, uint32_t bar) {
  static_assert(N * sizeof(T) % 16 == 0, "expected rows of a multiple of 16 bytes");
  const T *from = row + first;
  auto isInside = [&](int i) { return static_cast<uint32_t>(first + i) < static_cast<uint32_t>(size); };
  if (first >= 0 && size - N >= first && reinterpret_cast<uintptr_t>(from) % 16 == 0) {
    mbarrierExpectTx(bar, N * sizeof(T));
    bulkLoad(dst, from, N * sizeof(T), bar);
  } else if constexpr (sizeof(T) >= 4 && N % 4 == 0) {
#pragma unroll 1
    for (int i = 0; i < N; i += 4) {
      copyElementAsync<0>(dst + i * sizeof(T), from + i, isInside(i));
      copyElementAsync<1>(dst + i * sizeof(T), from + i, isInside(i + 1));
      copyElementAsync<2>(dst + i * sizeof(T), from + i, isInside(i + 2));
      copyElementAsync<3>(dst + i * sizeof(T), from + i, isInside(i + 3));
    }
    copiesArrive(bar);
  } else {
#pragma unroll 8
    for (int i = 0; i < N; ++i)
      stShared(dst + i * sizeof(T), isInside(i) ? from[i] : T(0));
    fenceProxyAsync();
    mbarrierArrive(bar);
  }
}
__device__ __forceinline__ void bulkStore(void *dst, uint32_t src, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(dst)),
               "r"(src), "r"(bytes)
               : "memory");
}

/// Closes the group of this thread's stores.
__device__ __forceinline__ void tmaCommit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// At most N groups of this thread still read shared memory.
template <int N> __device__ __forceinline__ void tmaWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

/// At most N groups of this thread are incomplete in global memory.
template <int N> __device__ __forceinline__ void tmaWait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}

__device__ __forceinline__ void tmaPrefetchMap(const void *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_TMA_H
