//===- heddle_device/thread/address.h - shared-memory addresses and swizzle -------------------===//
#ifndef HEDDLE_DEVICE_THREAD_ADDRESS_H
#define HEDDLE_DEVICE_THREAD_ADDRESS_H

#include <stdint.h>

namespace hd {

/// Generic pointer to 32-bit shared::cta address.
__device__ __forceinline__ uint32_t smemAddr(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

/// Byte offset after the B-byte swizzle (B = 0, 32, 64, 128): address bits [4, 4+b) ^= bits [7,
/// 7+b), b = log2(B/16). The offset counts from an atom aligned to 8*B bytes. Its own inverse. PTX
/// ISA: tensor maps, swizzling modes; wgmma, shared-memory matrix layout.
template <int B> __host__ __device__ __forceinline__ constexpr uint32_t swizzle(uint32_t byteOffset) {
  static_assert(B == 0 || B == 32 || B == 64 || B == 128, "expected a swizzle of 0, 32, 64 or 128 bytes");
  return B == 0 ? byteOffset : byteOffset ^ ((byteOffset >> 3) & (B - 16));
}

/// index * stride, of factors of 32 bits in one instruction (mul.wide.s32). A compiler that knows one of them to be
/// positive extends the two differently, and multiplies 64 bits by 64, with the registers that this takes.
template <typename Index, typename Stride> __device__ __forceinline__ int64_t scaled(Index index, Stride stride) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Index) == 4 && sizeof(Stride) == 4) {
    int64_t product;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(index), "r"(stride));
    return product;
  }
#endif
  return static_cast<int64_t>(index) * stride;
}

/// A zero that the compiler cannot fold: added to an offset, it stops hoisting of all descriptors
/// of a long wgmma chain.
__device__ __forceinline__ uint32_t opaqueZero() {
  uint32_t zero = 0;
#ifdef __CUDA_ARCH__
  asm volatile("mov.u32 %0, 0;" : "=r"(zero));
#endif
  return zero;
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_ADDRESS_H
