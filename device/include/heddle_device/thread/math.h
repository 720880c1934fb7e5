//===- heddle_device/thread/math.h - scalar arithmetic, one instruction each ------------------===//
#ifndef HEDDLE_DEVICE_THREAD_MATH_H
#define HEDDLE_DEVICE_THREAD_MATH_H

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
/// IEEE maxNum/minNum: a NaN operand is ignored.
__device__ __forceinline__ float fmax(float a, float b) { return ::fmaxf(a, b); }
__device__ __forceinline__ float fmin(float a, float b) { return ::fminf(a, b); }
__device__ __forceinline__ float fabs(float a) { return ::fabsf(a); }
__device__ __forceinline__ float infinity() { return __int_as_float(0x7f800000); }

__host__ __device__ __forceinline__ constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ __forceinline__ constexpr int min(int a, int b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ constexpr int max(int a, int b) { return a < b ? b : a; }

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_MATH_H
