//===- heddle_device/thread/math.h - scalar arithmetic, one instruction each ------------------===//
#ifndef HEDDLE_DEVICE_THREAD_MATH_H
#define HEDDLE_DEVICE_THREAD_MATH_H

#include <stdint.h>

namespace hd {

// Approximate forms flush subnormals. PTX ISA: floating point instructions.

/// 2^x.
__device__ __forceinline__ float ex2(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
/// log2(x).
__device__ __forceinline__ float lg2(float x) {
  float r;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float rcp(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float rsqrt(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float sqrtApprox(float x) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float tanhApprox(float x) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

/// The product of two unsigned integers of 32 bits. The halves of equal products come from one instruction, which the
/// compiler does not see where one half is written as a product of 32 bits.
__device__ __forceinline__ uint64_t multiplyWide(int a, int b) {
  uint64_t r;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ int multiplyHigh(int a, int b) { return static_cast<int>(multiplyWide(a, b) >> 32); }
__device__ __forceinline__ int multiplyLow(int a, int b) { return static_cast<int>(multiplyWide(a, b)); }

__device__ __forceinline__ float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
/// NaN where an operand is NaN, and -0 below 0 (PTX ISA: max, min).
__device__ __forceinline__ float maximum(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ __forceinline__ float minimum(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ __forceinline__ double maximum(double a, double b) { return a != a ? a : b != b ? b : ::fmax(a, b); }
__device__ __forceinline__ double minimum(double a, double b) { return a != a ? a : b != b ? b : ::fmin(a, b); }
/// IEEE maxNum/minNum: a NaN operand is ignored.
__device__ __forceinline__ float fmax(float a, float b) { return ::fmaxf(a, b); }
__device__ __forceinline__ float fmin(float a, float b) { return ::fminf(a, b); }
__device__ __forceinline__ float fabs(float a) { return ::fabsf(a); }
__device__ __forceinline__ float infinity() { return __int_as_float(0x7f800000); }

/// Towards zero, to the nearest number that T has; NaN gives 0. T = int8_t ... int64_t, uint8_t ... uint64_t.
template <class T> struct IntegerRange {
  static constexpr bool isSigned = T(-1) < T(0);
  static constexpr int least = isSigned ? -(1 << (8 * sizeof(T) - 1)) : 0;
  static constexpr int most = isSigned ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << (8 * sizeof(T))) - 1;
};
template <class T, class F> __device__ __forceinline__ T toInteger(F x) {
  if constexpr (sizeof(T) >= 4) {
    return static_cast<T>(x); // PTX ISA: cvt saturates
  } else {
    const int i = static_cast<int>(x);
    return static_cast<T>(i < IntegerRange<T>::least  ? IntegerRange<T>::least
                          : i > IntegerRange<T>::most ? IntegerRange<T>::most
                                                      : i);
  }
}

// Pairs of f16, each half rounded to nearest, subnormals included; no fusion with another operation.
__device__ __forceinline__ uint32_t add2(uint32_t a, uint32_t b) {
  uint32_t r;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ uint32_t sub2(uint32_t a, uint32_t b) {
  uint32_t r;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ uint32_t mul2(uint32_t a, uint32_t b) {
  uint32_t r;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_MATH_H
