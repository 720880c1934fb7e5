//===- heddle_device/thread/fold.h - arrays of registers: fill, copy, fold --------------------===//
// Loops that are unrolled, over arrays that stay in registers: what a kernel would otherwise spell out.
#ifndef HEDDLE_DEVICE_THREAD_FOLD_H
#define HEDDLE_DEVICE_THREAD_FOLD_H

#include "heddle_device/thread/functions.h"

namespace hd {

struct Add {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
struct Multiply {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a * b; }
};
struct And {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};
/// Of floats NaN wins.
struct Maximum {
  __device__ __forceinline__ float operator()(float a, float b) const { return maximum(a, b); }
  __device__ __forceinline__ double operator()(double a, double b) const { return maximum(a, b); }
  __device__ __forceinline__ int operator()(int a, int b) const { return max(a, b); }
  __device__ __forceinline__ int64_t operator()(int64_t a, int64_t b) const { return max(a, b); }
};
struct Minimum {
  __device__ __forceinline__ float operator()(float a, float b) const { return minimum(a, b); }
  __device__ __forceinline__ double operator()(double a, double b) const { return minimum(a, b); }
  __device__ __forceinline__ int operator()(int a, int b) const { return min(a, b); }
  __device__ __forceinline__ int64_t operator()(int64_t a, int64_t b) const { return min(a, b); }
};

/// The greater, or the smaller one: whoever folds many elements by it tests once.
struct Extreme {
  bool greatest;
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const {
    return greatest ? Maximum()(a, b) : Minimum()(a, b);
  }
};

template <class T, int n, class Value> __device__ __forceinline__ void fill(T (&to)[n], Value value) {
#pragma unroll
  for (int r = 0; r < n; ++r)
    to[r] = value;
}

template <class T, int n> __device__ __forceinline__ void copy(T (&to)[n], const T (&from)[n]) {
#pragma unroll
  for (int r = 0; r < n; ++r)
    to[r] = from[r];
}

/// result[q] = source(q) op source(n + q) op source(2 * n + q) ... up to `count` elements in all. Four chains for each
/// result that do not wait for each other, or one where four results and more are chains enough for an addition's
/// latency: with more, ptxas orders attention's arithmetic worse (docs/Emission.md, "The order that runs"). `result`
/// may be what `source` reads.
template <int count, class T, int n, class Source, class Op>
__device__ __forceinline__ void fold(T (&result)[n], Source source, Op op) {
  constexpr int wanted = n < 4 ? 4 : 1, chains = count / n < wanted ? count / n : wanted, width = chains * n;
  T part[width];
#pragma unroll
  for (int r = 0; r < width; ++r)
    part[r] = source(r);
#pragma unroll
  for (int r = width; r < count; ++r)
    part[r % width] = op(part[r % width], static_cast<T>(source(r)));
#pragma unroll
  for (int q = 0; q < n; ++q) {
    if constexpr (chains > 1)
      part[q] = op(part[q], part[n + q]);
    if constexpr (chains == 3)
      part[q] = op(part[q], part[2 * n + q]);
    if constexpr (chains == 4)
      part[q] = op(part[q], op(part[2 * n + q], part[3 * n + q]));
    result[q] = part[q];
  }
}

/// The slot and the parity after these in a ring of `depth` slots.
template <int depth> __device__ __forceinline__ void advance(int &slot, int &parity) {
  const int next = slot + 1;
  const bool wraps = next == depth;
  slot = wraps ? 0 : next;
  parity = wraps ? parity ^ 1 : parity;
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_FOLD_H
