//===- heddle_device/thread/convert.h - packing and conversion (PTX ISA: cvt) -----------------===//
#ifndef HEDDLE_DEVICE_THREAD_CONVERT_H
#define HEDDLE_DEVICE_THREAD_CONVERT_H

#include "heddle_device/thread/bytes.h"
#include "heddle_device/thread/types.h"

namespace hd {

/// Two 16-bit values rounded to nearest even, `lo` in the low half. T = f16, bf16.
template <class T> __device__ __forceinline__ uint32_t pack(float lo, float hi);
template <> __device__ __forceinline__ uint32_t pack<f16>(float lo, float hi) {
  uint32_t r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}
template <> __device__ __forceinline__ uint32_t pack<bf16>(float lo, float hi) {
  uint32_t r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}

/// Two 8-bit values, saturating to the largest finite value. T = e4m3, e5m2.
template <class T> __device__ __forceinline__ uint16_t pack2x8(float lo, float hi);
template <> __device__ __forceinline__ uint16_t pack2x8<e4m3>(float lo, float hi) {
  uint16_t r;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(hi), "f"(lo));
  return r;
}
template <> __device__ __forceinline__ uint16_t pack2x8<e5m2>(float lo, float hi) {
  uint16_t r;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(hi), "f"(lo));
  return r;
}

/// Four 8-bit values, x0 lowest. (One statement: the second conversion then puts its half into the first one's word.)
template <class T> __device__ __forceinline__ uint32_t pack4x8(float x0, float x1, float x2, float x3);
template <> __device__ __forceinline__ uint32_t pack4x8<e4m3>(float x0, float x1, float x2, float x3) {
  uint32_t r;
  asm("{\n.reg .b16 low, high;\ncvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\nmov.b32 %0, {low, high};\n}"
      : "=r"(r)
      : "f"(x0), "f"(x1), "f"(x2), "f"(x3));
  return r;
}
template <> __device__ __forceinline__ uint32_t pack4x8<e5m2>(float x0, float x1, float x2, float x3) {
  uint32_t r;
  asm("{\n.reg .b16 low, high;\ncvt.rn.satfinite.e5m2x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e5m2x2.f32 high, %4, %3;\nmov.b32 %0, {low, high};\n}"
      : "=r"(r)
      : "f"(x0), "f"(x1), "f"(x2), "f"(x3));
  return r;
}

/// f32 to T, nearest even. T = f16, bf16, e4m3, e5m2, float.
template <class T> __device__ __forceinline__ T convert(float x);
template <> __device__ __forceinline__ float convert<float>(float x) { return x; }
template <> __device__ __forceinline__ f16 convert<f16>(float x) {
  f16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
  return r;
}
template <> __device__ __forceinline__ bf16 convert<bf16>(float x) {
  bf16 r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
  return r;
}
template <> __device__ __forceinline__ e4m3 convert<e4m3>(float x) {
  return e4m3{static_cast<uint8_t>(pack2x8<e4m3>(x, 0.0f) & 0xff)};
}
template <> __device__ __forceinline__ e5m2 convert<e5m2>(float x) {
  return e5m2{static_cast<uint8_t>(pack2x8<e5m2>(x, 0.0f) & 0xff)};
}

/// Exact widening.
__device__ __forceinline__ float toFloat(float x) { return x; }
__device__ __forceinline__ float toFloat(f16 x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
}
__device__ __forceinline__ float toFloat(bf16 x) { return __uint_as_float(static_cast<uint32_t>(x.bits) << 16); }
__device__ __forceinline__ float toFloat(e4m3 x) {
  uint32_t pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<uint16_t>(x.bits)));
  return toFloat(f16{static_cast<uint16_t>(pair & 0xffff)});
}
__device__ __forceinline__ float toFloat(e5m2 x) {
  uint32_t pair;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(static_cast<uint16_t>(x.bits)));
  return toFloat(f16{static_cast<uint16_t>(pair & 0xffff)});
}

/// The halves of a packed pair. T = f16, bf16.
template <class T> __device__ __forceinline__ float unpackLo(uint32_t pair) {
  return toFloat(T{static_cast<uint16_t>(pair & 0xffff)});
}
template <class T> __device__ __forceinline__ float unpackHi(uint32_t pair) {
  return toFloat(T{static_cast<uint16_t>(pair >> 16)});
}

/// The two lowest of four packed numbers of From (e4m3, e5m2, s8) as a pair of To (f16; bf16 of the floats). Exact.
template <class From, class To> __device__ __forceinline__ uint32_t widen2(uint32_t four);
template <> __device__ __forceinline__ uint32_t widen2<e4m3, f16>(uint32_t four) {
  uint32_t pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<uint16_t>(four)));
  return pair;
}
template <> __device__ __forceinline__ uint32_t widen2<e5m2, f16>(uint32_t four) {
  uint32_t pair;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(static_cast<uint16_t>(four)));
  return pair;
}
template <> __device__ __forceinline__ uint32_t widen2<e4m3, bf16>(uint32_t four) {
  const uint32_t pair = widen2<e4m3, f16>(four);
  return pack<bf16>(unpackLo<f16>(pair), unpackHi<f16>(pair));
}
template <> __device__ __forceinline__ uint32_t widen2<e5m2, bf16>(uint32_t four) {
  const uint32_t pair = widen2<e5m2, f16>(four);
  return pack<bf16>(unpackLo<f16>(pair), unpackHi<f16>(pair));
}
template <> __device__ __forceinline__ uint32_t widen2<s8, f16>(uint32_t four) {
  // x + 128 is the lowest byte of the f16 1024 + x + 128.
  const uint32_t pair = permuteBytes(four ^ 0x8080u, 0x64646464u, 0x4140), bias = 0x64806480u;
  uint32_t r;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(pair), "r"(bias));
  return r;
}

/// Rounds the mantissa to tf32 (ties away from zero), as wgmma on tf32 expects.
__device__ __forceinline__ float toTf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return __uint_as_float(r);
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_CONVERT_H
