//===- heddle_device/thread/functions.h - scalar functions of several instructions -------------===//
// No PTX: these are what the emulator runs as well.
#ifndef HEDDLE_DEVICE_THREAD_FUNCTIONS_H
#define HEDDLE_DEVICE_THREAD_FUNCTIONS_H

#include "heddle_device/thread/math.h"

namespace hd {

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

/// x to the power of an integer. The sign is that of the integer's parity, which large integers lose as floats.
template <class F, class I> __device__ __forceinline__ F powi(F x, I n) {
  F power;
  if constexpr (sizeof(F) == sizeof(float))
    power = ::powf(::fabsf(x), static_cast<float>(n));
  else
    power = ::pow(::fabs(x), static_cast<double>(n));
  return n % 2 == 0 ? power : sizeof(F) == sizeof(float) ? F(::copysignf(power, x)) : F(::copysign(power, x));
}

__host__ __device__ __forceinline__ constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ __forceinline__ constexpr int min(int a, int b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ constexpr int max(int a, int b) { return a < b ? b : a; }
__host__ __device__ __forceinline__ constexpr int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ constexpr int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_FUNCTIONS_H
