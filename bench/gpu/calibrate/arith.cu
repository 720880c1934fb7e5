//===- arith.cu - arithmetic on a 64x128 tile, alone and beside a running wgmma ---------------===//
//
// Kernels: <op>         each warp group applies the operation to its own 64x128 f32 tile (64 registers a thread)
//          <op>_tensor  the same, while warp group 0 streams wgmma m64n128k16 (SS) for `tensorTrips` groups of 4
//          chain_<op>   one dependent instruction after the other: latency
//          Ops: exp (FFMA + MUFU.EX2), sfu (MUFU.TANH; rcp(rcp(x)) is folded away), fma, add, max, cvt (f32x2 -> f16x2), rowmax and rowsum (a row
//          is 32 registers of each lane of a quad), rowmax_dep and rowsum_dep (the next tile starts from the result).
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

/// Elementwise operations: op(x, y, a, b) on x[i], x[i + 1]; kStep elements consumed by one.
template <class Self, int kStep = 1> struct Elementwise {
  static __device__ __forceinline__ void apply(float (&x)[64], float (&)[4], float a, float b) {
#pragma unroll
    for (int i = 0; i < 64; i += kStep)
      x[i] = Self::op(x[i], x[(i + 1) % 64], a, b);
  }
};
struct Exp : Elementwise<Exp> {
  static __device__ __forceinline__ float op(float x, float, float a, float b) { return hd::ex2(hd::fma(x, a, b)); }
};
struct Sfu : Elementwise<Sfu> {
  static __device__ __forceinline__ float op(float x, float, float, float) { return hd::tanhApprox(x); }
};
struct Fma : Elementwise<Fma> {
  static __device__ __forceinline__ float op(float x, float, float a, float b) { return hd::fma(x, a, b); }
};
struct Add : Elementwise<Add> {
  static __device__ __forceinline__ float op(float x, float, float a, float) { return __fadd_rn(x, a); }
};
struct Max : Elementwise<Max> {
  static __device__ __forceinline__ float op(float x, float y, float, float) { return hd::fmax(x, y); }
};
struct MaxChain { // opaque: LLVM knows that max(max(x, y), x) is max(x, y)
  static __device__ __forceinline__ float op(float x, float y, float, float) {
    float r;
    asm volatile("max.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
  }
};
struct Shfl {
  static __device__ __forceinline__ float op(float x, float, float, float) { return hd::shflXor(x, 1); }
};
struct Cvt : Elementwise<Cvt, 2> {
  static __device__ __forceinline__ float op(float x, float y, float, float) {
    return __uint_as_float(hd::pack<f16>(x, y));
  }
};

/// Reductions along rows; two chains a row, carried from tile to tile so that nothing is invariant.
template <bool Maximum, bool Dependent> struct Reduce {
  static __device__ __forceinline__ float join(float x, float y) { return Maximum ? hd::fmax(x, y) : __fadd_rn(x, y); }
  static __device__ __forceinline__ void apply(float (&x)[64], float (&acc)[4], float, float) {
    float top[4] = {acc[0], acc[1], acc[2], acc[3]};
#pragma unroll
    for (int i = 0; i < 64; ++i)
      top[i % 4] = join(top[i % 4], x[i]);
    float row[2] = {join(top[0], top[2]), join(top[1], top[3])};
    row[0] = Maximum ? hd::quadMax(row[0]) : hd::quadSum(row[0]);
    row[1] = Maximum ? hd::quadMax(row[1]) : hd::quadSum(row[1]);
    if constexpr (Dependent) {
      acc[0] = row[0];
      acc[1] = row[1];
    } else { // the next tile's chains wait for this tile's chains only; the shuffled values come last in it
      x[62] = row[0];
      x[63] = row[1];
    }
#pragma unroll
    for (int i = Dependent ? 2 : 0; i < 4; ++i)
      acc[i] = top[i];
  }
};
using Rowmax = Reduce<true, false>;
using Rowsum = Reduce<false, false>;
using RowmaxDep = Reduce<true, true>;
using RowsumDep = Reduce<false, true>;

template <class Op>
__device__ __forceinline__ void tileLoop(Cycles *out, int wg, int trips, float a, float b) {
  float x[64], acc[4];
#pragma unroll
  for (int i = 0; i < 64; ++i)
    x[i] = a * static_cast<float>(threadIdx.x * 64 + i);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    acc[i] = b + static_cast<float>(i);
  hd::fenceOperand(x);
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i)
    Op::apply(x, acc, a, b);
  Cycles end = now();
  sink(out, sum(x) + sum(acc));
  report(out, wg, start, end);
}

template <class Op> __device__ __forceinline__ void besideTensor(Cycles *out, int trips, int tensorTrips, float a, float b) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kTensorBytes);
  int wg = hd::warpgroupIndex();
  if (wg == 0) {
    tensorRole(out, base, tensorTrips);
  } else {
    tileLoop<Op>(out, wg, trips, a, b);
  }
}

/// 64 dependent instructions a trip; max alternates two values so that no step is redundant.
template <class Op> __device__ __forceinline__ void chain(Cycles *out, int trips, float a, float b) {
  float x = a * static_cast<float>(threadIdx.x), y = b;
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i)
#pragma unroll
    for (int j = 0; j < 64; ++j) {
      float z = Op::op(x, y, a, b);
      y = x;
      x = z;
    }
  Cycles end = now();
  sink(out, x + y);
  report(out, hd::warpgroupIndex(), start, end);
}

#define ALONE(NAME, OP)                                                                             \
  extern "C" __global__ void __launch_bounds__(512, 1)                                              \
      cal_##NAME(Cycles *out, int trips, int, float a, float b) {                                         \
    int wg = hd::warpgroupIndex();                                                                  \
    __syncthreads();                                                                                \
    tileLoop<OP>(out, wg, trips, a, b);                                                             \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(384, 1)                                              \
      cal_##NAME##_tensor(Cycles *out, int trips, int tensorTrips, float a, float b) {                    \
    besideTensor<OP>(out, trips, tensorTrips, a, b);                                                \
  }
#define CHAIN(NAME, OP)                                                                             \
  extern "C" __global__ void __launch_bounds__(128, 1)                                              \
      chain_##NAME(Cycles *out, int trips, int, float a, float b) {                                 \
    chain<OP>(out, trips, a, b);                                                                    \
  }
ALONE(exp, Exp)
ALONE(sfu, Sfu)
ALONE(fma, Fma)
ALONE(add, Add)
ALONE(max, Max)
ALONE(cvt, Cvt)
ALONE(rowmax, Rowmax)
ALONE(rowsum, Rowsum)
ALONE(rowmax_dep, RowmaxDep)
ALONE(rowsum_dep, RowsumDep)
CHAIN(exp, Exp)
CHAIN(sfu, Sfu)
CHAIN(fma, Fma)
CHAIN(add, Add)
CHAIN(max, MaxChain)
CHAIN(cvt, Cvt)
CHAIN(shfl, Shfl)
