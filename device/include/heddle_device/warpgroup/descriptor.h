//===- heddle_device/warpgroup/descriptor.h - matrix descriptors of wgmma operands ------------===//
#ifndef HEDDLE_DEVICE_WARPGROUP_DESCRIPTOR_H
#define HEDDLE_DEVICE_WARPGROUP_DESCRIPTOR_H

#include <stdint.h>

namespace hd {

/// PTX ISA: wgmma, matrix descriptor. `B` is the swizzle in bytes: 128, 64, 32 or 0; offsets in
/// bytes. The tile starts at an address aligned to 8*B (none: 16).
template <int B>
__host__ __device__ __forceinline__ constexpr uint64_t descriptor(uint32_t addr, uint32_t lbo, uint32_t sbo) {
  static_assert(B == 0 || B == 32 || B == 64 || B == 128, "expected a swizzle of 0, 32, 64 or 128 bytes");
  return static_cast<uint64_t>((addr & 0x3FFFFu) >> 4) | (static_cast<uint64_t>((lbo & 0x3FFFFu) >> 4) << 16) |
         (static_cast<uint64_t>((sbo & 0x3FFFFu) >> 4) << 32) |
         (static_cast<uint64_t>(B == 128  ? 1
                                : B == 64 ? 2
                                : B == 32 ? 3
                                          : 0)
          << 62);
}

/// K-major tile stored as [k chunk][row][B bytes of K].
/// Steps: k-step (32 bytes of K) +32 in a chunk; next chunk +rows*B; 64 rows down +64*B.
template <int B> __host__ __device__ __forceinline__ constexpr uint64_t descK(uint32_t addr) {
  static_assert(B != 0, "without swizzle, use descriptor<0>(addr, kHalfDistance, rowGroupDistance)");
  return descriptor<B>(addr, 16, 8 * B);
}

/// MN-major tile (16-bit types) stored as [mn chunk][kRows][B bytes of M or N].
/// Steps: k-step (16 rows) +16*B; next chunk +kRows*B.
template <int B> __host__ __device__ __forceinline__ constexpr uint64_t descMN(uint32_t addr, uint32_t kRows) {
  static_assert(B != 0, "without swizzle, use descriptor<0>(addr, kGroupDistance, mnGroupDistance)");
  return descriptor<B>(addr, kRows * B, 8 * B);
}

/// `bytes` further, a multiple of 16; a 32-bit add (the address field cannot carry out of its 14
/// bits).
__host__ __device__ __forceinline__ constexpr uint64_t descAdvance(uint64_t desc, uint32_t bytes) {
  return (desc & 0xFFFFFFFF00000000ull) | static_cast<uint32_t>(static_cast<uint32_t>(desc) + (bytes >> 4));
}

} // namespace hd

#endif // HEDDLE_DEVICE_WARPGROUP_DESCRIPTOR_H
