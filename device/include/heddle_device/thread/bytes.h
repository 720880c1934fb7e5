//===- heddle_device/thread/bytes.h - bytes of words --------------------------------===//
#ifndef HEDDLE_DEVICE_THREAD_BYTES_H
#define HEDDLE_DEVICE_THREAD_BYTES_H

#include "heddle_device/thread/types.h"

namespace hd {

/// A word of four of the bytes of `a` (0 to 3) and `b` (4 to 7): digit i of the hexadecimal `selector` names byte i.
__device__ __forceinline__ uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  return __byte_perm(a, b, selector);
}

/// The same of the word that `first` makes of `a` and `b` and of the one that `second` makes of `c` and `d`.
__device__ __forceinline__ uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t first,
                                                 uint32_t second, uint32_t selector) {
  return permuteBytes(permuteBytes(a, b, first), permuteBytes(c, d, second), selector);
}

/// Four integers of 8 bits or two of 16, the first lowest.
__device__ __forceinline__ uint32_t packIntegers(int a, int b, int c, int d) {
  return (a & 0xff) | (b & 0xff) << 8 | (c & 0xff) << 16 | static_cast<uint32_t>(d & 0xff) << 24;
}
__device__ __forceinline__ uint32_t packIntegers(int a, int b) {
  return (a & 0xffff) | static_cast<uint32_t>(b & 0xffff) << 16;
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_BYTES_H
