//===- heddle_device/thread/copy.h - copies by threads (PTX ISA: cp.async) ---------------------------------===//
#ifndef HEDDLE_DEVICE_THREAD_COPY_H
#define HEDDLE_DEVICE_THREAD_COPY_H

#include "heddle_device/thread/types.h"

#include <stdint.h>

namespace hd {

/// Starts a copy of 16 bytes to shared memory; zeros where not `inside`. Both addresses are multiples of 16. These are
/// ordinary writes: wgmma reads them behind the proxy fence of a thread that has seen them come.
__device__ __forceinline__ void copyAsync(uint32_t dst, const void *src, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(__cvta_generic_to_global(src)),
               "r"(inside ? 16 : 0)
               : "memory");
}

/// Starts a copy of element `Place`, of 4 or 8 bytes, from `src` on to that place from `dst` on; zero where not
/// `inside`. Both addresses are multiples of an element. The place is part of the instruction: several copies have one
/// register for each address.
template <int Place, typename T>
__device__ __forceinline__ void copyElementAsync(uint32_t dst, const T *src, bool inside) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "expected elements of 4 or 8 bytes");
  asm volatile("cp.async.ca.shared.global [%0 + %4], [%1 + %4], %2, %3;" ::"r"(dst), "l"(__cvta_generic_to_global(src)),
               "n"(sizeof(T)), "r"(inside ? static_cast<int>(sizeof(T)) : 0), "n"(Place * sizeof(T))
               : "memory");
}

/// Arrives once when the copies that this thread has started have landed; one of the barrier's count for each thread.
__device__ __forceinline__ void copiesArrive(uint32_t bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}

/// The elements of 16 bytes from `from` on, whose first is element `first` of a row; zeros where they are not below
/// `size`. No alignment beyond the elements'.
template <typename T> __device__ __forceinline__ u32x4 loadPiece(const T *from, int first, int size) {
  constexpr int count = 16 / sizeof(T), perWord = 4 / sizeof(T);
  u32x4 piece = {};
#pragma unroll
  for (int i = 0; i < count; ++i) {
    T element = static_cast<uint32_t>(first + i) < static_cast<uint32_t>(size) ? from[i] : T(0);
    uint32_t bits;
    if constexpr (sizeof(T) == 4)
      bits = __builtin_bit_cast(uint32_t, element);
    else
      bits = element;
    piece.v[i / perWord] |= bits << (i % perWord * 8 * sizeof(T));
  }
  return piece;
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_COPY_H
