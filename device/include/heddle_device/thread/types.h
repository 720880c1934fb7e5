//===- heddle_device/thread/types.h - element types, tensor map, small vectors ----------------===//
#ifndef HEDDLE_DEVICE_THREAD_TYPES_H
#define HEDDLE_DEVICE_THREAD_TYPES_H

#include <stdint.h>

namespace hd {

/// Storage types of tensor elements; also the type arguments of wgmma, pack and convert.
struct alignas(2) f16 {
  uint16_t bits;
};
struct alignas(2) bf16 {
  uint16_t bits;
};
struct e4m3 {
  uint8_t bits;
};
struct e5m2 {
  uint8_t bits;
};
/// Tag for wgmma on integers.
struct s8 {
  int8_t value;
};
/// Tag for wgmma on f32 data rounded to tf32.
struct tf32 {
  float value;
};

/// Tensor map, same layout as CUtensorMap. Kernel parameter: `const __grid_constant__
/// hd::TensorMap`.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

struct alignas(8) u32x2 {
  uint32_t v[2];
};
struct alignas(16) u32x4 {
  uint32_t v[4];
};
struct alignas(8) f32x2 {
  float v[2];
};
struct alignas(16) f32x4 {
  float v[4];
};

/// N elements that one access moves; N times the size of T is at most 16.
template <class T, int N> struct alignas(sizeof(T) * N) Vector {
  T v[N];
};

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_TYPES_H
