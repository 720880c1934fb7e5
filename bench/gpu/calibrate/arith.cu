//===- arith.cu - arithmetic on a tile of 64 rows, alone and beside a running wgmma ------------===//
//
// Kernels: cal_<op>[_<R>]      each warp group applies the operation to its own tile: R registers a thread (64: a
//          64x128
//                              f32 tile), 64 / R times a trip
//          cal_<op>_tensor     R = 64, while warp group 0 streams wgmma m64n128k16 (SS) for `tensorTrips` groups of 4
//          cal_<op>_tensor_rs  the same with A from registers: wgmma then competes for the register file
//          chain_<op>          one dependent instruction after the other: latency
// Ops:     exp (FFMA + MUFU.EX2), ex2, sfu (MUFU.TANH; rcp(rcp(x)) is folded away), fma, add, mul, fma1 to fma3
//          (so many dependent chains: a fraction of the rate), max, min, sel (select by
//          a run-time truth value), cmpsel (compare, then select), iadd, imad, lop (and, xor), cvt (f32x2 -> f16x2),
//          cvt8 (f32x2 -> e4m3x2), widen (f16 -> f32), shfl, rowmax and rowsum (a row is R / 2 registers of each lane
//          of a quad), rowmax_dep and rowsum_dep (the next tile starts from the result).
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

/// Elementwise operations: op(x, y, a, b) on x[i], x[i + 1]; kStep elements consumed by one.
template <class Self, int kStep = 1> struct Elementwise {
  template <int R> static __device__ __forceinline__ void apply(float (&x)[R], float (&)[4], float a, float b) {
#pragma unroll
    for (int i = 0; i < R; i += kStep)
      x[i] = Self::op(x[i], x[(i + 1) % R], a, b);
  }
};
#define FLOAT_OP(NAME, STEP, ...)                                                                   \
  struct NAME : Elementwise<NAME, STEP> {                                                           \
    static __device__ __forceinline__ float op(float x, float y, float a, float b) {                \
      (void)y, (void)a, (void)b;                                                                    \
      return __VA_ARGS__;                                                                           \
    }                                                                                               \
  };
#define INT_OP(NAME, ...)                                                                           \
  struct NAME : Elementwise<NAME> {                                                                 \
    static __device__ __forceinline__ float op(float xf, float yf, float af, float bf) {            \
      uint32_t x = __float_as_uint(xf), y = __float_as_uint(yf), a = __float_as_uint(af), b = __float_as_uint(bf); \
      (void)y, (void)a, (void)b;                                                                    \
      return __uint_as_float(__VA_ARGS__);                                                          \
    }                                                                                               \
  };
FLOAT_OP(Exp, 1, hd::ex2(hd::fma(x, a, b)))
FLOAT_OP(Ex2, 1, hd::ex2(x))
FLOAT_OP(Sfu, 1, hd::tanhApprox(x))
FLOAT_OP(Fma, 1, hd::fma(x, a, b))
// 64 operations on few registers: with one warp a scheduler, 1/4 of the rate a chain
template <int Chains> struct FmaChains {
  template <int R> static __device__ __forceinline__ void apply(float (&x)[R], float (&)[4], float a, float b) {
#pragma unroll
    for (int i = 0; i < R; ++i)
      x[i % Chains] = hd::fma(x[i % Chains], a, b);
  }
};
using Fma1 = FmaChains<1>;
using Fma2 = FmaChains<2>;
using Fma3 = FmaChains<3>;
FLOAT_OP(Add, 1, __fadd_rn(x, a))
FLOAT_OP(Mul, 1, __fmul_rn(x, a))
FLOAT_OP(Max, 1, hd::fmax(x, y))
FLOAT_OP(Min, 1, hd::fmin(x, y))
FLOAT_OP(Shfl, 1, hd::shflXor(x, 1))
FLOAT_OP(Cvt, 2, __uint_as_float(hd::pack<f16>(x, y)))
FLOAT_OP(Cvt8, 2, __uint_as_float(hd::pack2x8<hd::e4m3>(x, y)))
FLOAT_OP(Widen, 1, hd::unpackLo<f16>(__float_as_uint(x)))
INT_OP(Iadd, x + y)
INT_OP(Imad, x *a + b)
INT_OP(Lop, (x & a) ^ y)
struct MaxChain { // opaque: LLVM knows that max(max(x, y), x) is max(x, y)
  static __device__ __forceinline__ float op(float x, float y, float, float) {
    float r;
    asm volatile("max.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
  }
};
struct Sel : Elementwise<Sel> { // opaque: the loop would be specialised for either truth value
  static __device__ __forceinline__ float op(float x, float y, float a, float) {
    float r;
    asm volatile("{\n.reg .pred p;\nsetp.gt.f32 p, %3, 0f00000000;\nselp.f32 %0, %1, %2, p;\n}\n"
                 : "=f"(r)
                 : "f"(x), "f"(y), "f"(a));
    return r;
  }
};
struct CmpSel : Elementwise<CmpSel> { // opaque: x < a ? y : x
  static __device__ __forceinline__ float op(float x, float y, float a, float) {
    float r;
    asm volatile("{\n.reg .pred p;\nsetp.lt.f32 p, %1, %3;\nselp.f32 %0, %2, %1, p;\n}\n"
                 : "=f"(r)
                 : "f"(x), "f"(y), "f"(a));
    return r;
  }
};

/// Reductions along rows; two chains a row, carried from tile to tile so that nothing is invariant.
template <bool Maximum, bool Dependent> struct Reduce {
  static __device__ __forceinline__ float join(float x, float y) { return Maximum ? hd::fmax(x, y) : __fadd_rn(x, y); }
  template <int R> static __device__ __forceinline__ void apply(float (&x)[R], float (&acc)[4], float, float) {
    float top[4] = {acc[0], acc[1], acc[2], acc[3]};
#pragma unroll
    for (int i = 0; i < R; ++i)
      top[i % 4] = join(top[i % 4], x[i]);
    float row[2] = {join(top[0], top[2]), join(top[1], top[3])};
    row[0] = Maximum ? hd::quadMax(row[0]) : hd::quadSum(row[0]);
    row[1] = Maximum ? hd::quadMax(row[1]) : hd::quadSum(row[1]);
    if constexpr (Dependent) {
      acc[0] = row[0];
      acc[1] = row[1];
    } else { // the next tile's chains wait for this tile's chains only; the shuffled values come last in it
      x[R - 2] = row[0];
      x[R - 1] = row[1];
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

template <class Op, int R>
__device__ __forceinline__ void tileLoop(Cycles *out, int wg, int trips, float a, float b) {
  float x[R], acc[4];
#pragma unroll
  for (int i = 0; i < R; ++i)
    x[i] = a * static_cast<float>(threadIdx.x * R + i);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    acc[i] = b + static_cast<float>(i);
  hd::fenceOperand(x);
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
#pragma unroll
    for (int j = 0; j < (R < 64 ? 64 / R : 1); ++j) {
      Op::apply(x, acc, a, b);
      if (R < 64)
        hd::fenceOperand(x); // one tile after the other: two applications are not simplified to one
    }
  }
  Cycles end = now();
  sink(out, sum(x) + sum(acc));
  report(out, wg, start, end);
}

template <class Op, bool RS>
__device__ __forceinline__ void besideTensor(Cycles *out, int trips, int tensorTrips, float a, float b) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kTensorBytes);
  int wg = hd::warpgroupIndex();
  if (wg == 0)
    tensorRole<RS>(out, base, tensorTrips);
  else
    tileLoop<Op, 64>(out, wg, trips, a, b);
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

#define TILE(NAME, OP, R)                                                                           \
  extern "C" __global__ void __launch_bounds__(512, 1)                                              \
      cal_##NAME(Cycles *out, int trips, int, float a, float b) {                                   \
    int wg = hd::warpgroupIndex();                                                                  \
    __syncthreads();                                                                                \
    tileLoop<OP, R>(out, wg, trips, a, b);                                                          \
  }
#define BESIDE(NAME, OP, RS)                                                                        \
  extern "C" __global__ void __launch_bounds__(384, 1)                                              \
      cal_##NAME(Cycles *out, int trips, int tensorTrips, float a, float b) {                       \
    besideTensor<OP, RS>(out, trips, tensorTrips, a, b);                                            \
  }
#define CHAIN(NAME, OP)                                                                             \
  extern "C" __global__ void __launch_bounds__(128, 1)                                              \
      chain_##NAME(Cycles *out, int trips, int, float a, float b) {                                 \
    chain<OP>(out, trips, a, b);                                                                    \
  }
#define ALL(NAME, OP) TILE(NAME, OP, 64) BESIDE(NAME##_tensor, OP, false) BESIDE(NAME##_tensor_rs, OP, true)
#define SIZES(NAME, OP) TILE(NAME##_16, OP, 16) TILE(NAME##_32, OP, 32) ALL(NAME, OP)
SIZES(exp, Exp)
TILE(exp_24, Exp, 24)
TILE(exp_48, Exp, 48)
ALL(ex2, Ex2)
SIZES(sfu, Sfu)
SIZES(fma, Fma)
ALL(fma1, Fma1)
ALL(fma2, Fma2)
ALL(fma3, Fma3)
ALL(add, Add)
ALL(mul, Mul)
SIZES(max, Max)
ALL(min, Min)
ALL(sel, Sel)
ALL(cmpsel, CmpSel)
ALL(iadd, Iadd)
ALL(imad, Imad)
ALL(lop, Lop)
SIZES(cvt, Cvt)
ALL(cvt8, Cvt8)
ALL(widen, Widen)
ALL(shfl, Shfl)
#define REDUCTION(NAME, OP, DEP)                                                                    \
  SIZES(NAME, OP) TILE(NAME##_24, OP, 24) TILE(NAME##_48, OP, 48)                                   \
  TILE(NAME##_dep_16, DEP, 16) TILE(NAME##_dep_24, DEP, 24) TILE(NAME##_dep_32, DEP, 32)            \
  TILE(NAME##_dep_48, DEP, 48) TILE(NAME##_dep, DEP, 64)
REDUCTION(rowmax, Rowmax, RowmaxDep)
REDUCTION(rowsum, Rowsum, RowsumDep)
CHAIN(exp, Exp)
CHAIN(ex2, Ex2)
CHAIN(sfu, Sfu)
CHAIN(fma, Fma)
CHAIN(add, Add)
CHAIN(mul, Mul)
CHAIN(max, MaxChain)
CHAIN(sel, Sel)
CHAIN(iadd, Iadd)
CHAIN(imad, Imad)
CHAIN(cvt, Cvt)
CHAIN(widen, Widen)
CHAIN(shfl, Shfl)
