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

/// Near zero by its series, where the difference of two numbers near 1 would cancel: within 8 ulp everywhere.
__device__ __forceinline__ float tanh(float x) {
  const float y = x * x;
  const float series =
      fma(x * y, fma(y, fma(y, fma(y, 0.0218694885f, -0.0539682540f), 0.133333333f), -0.333333333f), x);
  const float far = 1.0f - 2.0f * rcp(1.0f + ex2(2.88539008f * x));
  return fabs(x) < 0.25f ? series : far;
}

/// x - n pi/2 with |result| <= pi/4 and n modulo 4, reduced in double: right for |x| up to 2^30, without a branch.
__device__ __forceinline__ float reduceAngle(float x, int &quadrant) {
  const double n = ::rint(static_cast<double>(x) * 0.63661977236758134);
  quadrant = static_cast<int>(n);
  const double r = ::fma(n, -1.5707963267948966, static_cast<double>(x));
  return static_cast<float>(::fma(n, -6.123233995736766e-17, r));
}
__device__ __forceinline__ float sinOfReduced(float r, int quadrant) {
  const float y = r * r;
  const float s = fma(r * y, fma(y, fma(y, -1.9515295891e-4f, 8.3321608736e-3f), -1.6666654611e-1f), r);
  const float c = fma(y * y, fma(y, fma(y, 2.443315711809948e-5f, -1.388731625493765e-3f), 4.166664568298827e-2f),
                      fma(y, -0.5f, 1.0f));
  const float value = quadrant & 1 ? c : s;
  return quadrant & 2 ? -value : value;
}
/// Within 2 ulp for |x| up to 2^30.
__device__ __forceinline__ float sin(float x) {
  int quadrant;
  const float r = reduceAngle(x, quadrant);
  return sinOfReduced(r, quadrant);
}
__device__ __forceinline__ float cos(float x) {
  int quadrant;
  const float r = reduceAngle(x, quadrant);
  return sinOfReduced(r, quadrant + 1);
}

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

__host__ __device__ __forceinline__ constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ __forceinline__ constexpr int min(int a, int b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ constexpr int max(int a, int b) { return a < b ? b : a; }
__host__ __device__ __forceinline__ constexpr int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ constexpr int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_MATH_H
