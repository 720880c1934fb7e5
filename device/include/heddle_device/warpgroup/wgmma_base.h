//===- heddle_device/warpgroup/wgmma_base.h - asynchronous matrix multiply, all but the shapes ---===//
//
// What:    D(64 x N, f32, of integers s32) (+)= A(64 x K) * B(K x N) by the 128 threads of a warp group, converged.
// Shapes:  wgmma_n<N>.h instantiate the forms below for one N; wgmma.h includes all of them.
// Rules:   wgmmaFence before the first wgmma after ordinary writes to D or A registers; then all k-steps,
//          wgmmaCommit, wgmmaWait<n>. Neither D, nor A registers, nor operand memory may be touched before
//          the wait. fenceOperand(d) before wgmmaFence and after the wait keeps the compiler from moving
//          register copies in between, which would serialise the group (ptxas C7514, C7515).
// Source:  PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
//
//===-------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_DEVICE_WARPGROUP_WGMMA_BASE_H
#define HEDDLE_DEVICE_WARPGROUP_WGMMA_BASE_H

#include "heddle_device/thread/pin.h"
#include "heddle_device/thread/types.h"

namespace hd {

__device__ __forceinline__ void wgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ void wgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// At most N of the youngest groups are still running.
template <int N> __device__ __forceinline__ void wgmmaWait() {
  static_assert(N >= 0 && N <= 7, "expected 0 to 7 pending groups");
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/// Everything that `x` depends on is computed before any later wgmmaWait. ptxas hoists a wait over plain
/// arithmetic (fenceOperand does not stop it: it is no instruction), which would run that arithmetic
/// after the product it should overlap. Costs a compare and a predicated event that never matters: to pin
/// a whole tile, pass a value that depends on all of it, such as its sum.
__device__ __forceinline__ void pinOrder(float x) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.lt.f32 p, %0, 0fFF7FFFFF;\n"
               "@p pmevent 0;\n"
               "}\n" ::"f"(x)
               : "memory");
}
__device__ __forceinline__ void pinOrder(uint32_t x) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.eq.u32 p, %0, 0x7fbadbad;\n"
               "@p pmevent 0;\n"
               "}\n" ::"r"(x)
               : "memory");
}

/// The opposite end: what is computed from the result starts after the wgmma issued so far. ptxas spreads
/// arithmetic that does not depend on a wait between the issues, which delays the later ones. One clock read
/// and one select a register; the clock, a signed 64-bit count, is never negative. Give it the values from
/// which the overlapped arithmetic begins, e.g. the running maximum that a chain of fmax starts from.
__device__ __forceinline__ float pinAfter(float x) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               ".reg .u64 now;\n"
               "mov.u64 now, %%clock64;\n"
               "setp.lt.s64 p, now, 0;\n"
               "selp.f32 %0, 0f7FC00000, %0, p;\n"
               "}\n"
               : "+f"(x)::"memory");
  return x;
}
template <int R> __device__ __forceinline__ void pinAfter(float (&x)[R]) {
  uint32_t never;
  asm volatile("{\n"
               ".reg .pred p;\n"
               ".reg .u64 now;\n"
               "mov.u64 now, %%clock64;\n"
               "setp.lt.s64 p, now, 0;\n"
               "selp.u32 %0, 1, 0, p;\n"
               "}\n"
               : "=r"(never)::"memory");
#pragma unroll
  for (int i = 0; i < R; ++i)
    x[i] = never ? __int_as_float(0x7fc00000) : x[i];
}

namespace detail {

/// Specialised for each shape and type pair in wgmma_n<N>.h.
template <int N, class TA, class TB> struct Wgmma {
  static constexpr bool exists = false;
};

// 16-bit types: transposition of A (SS only) and B are immediates.
// X0.. are the operand numbers that follow the D registers.
#define HD_WGMMA_16(N, T, TYPE, X0, X1, X2, X3, X4, X5, X6)                                                            \
  template <> struct Wgmma<N, T, T> {                                                                                  \
    static constexpr bool exists = true;                                                                               \
    static constexpr bool transposes = true;                                                                           \
    template <int TransA, int TransB>                                                                                  \
    static __device__ __forceinline__ void ss(float *d, uint64_t a, uint64_t b, int scaleD) {                          \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X2 ", 0;\n"                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " " HD_WGMMA_REGS ", " X0 ", " X1   \
                   ", p, 1, 1, " X3 ", " X4 ";\n}\n"                                                                   \
                   : HD_WGMMA_OPERANDS(d)                                                                              \
                   : "l"(a), "l"(b), "r"(scaleD), "n"(TransA), "n"(TransB));                                           \
    }                                                                                                                  \
    template <int TransB>                                                                                              \
    static __device__ __forceinline__ void rs(float *d, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,            \
                                              uint64_t b, int scaleD) {                                                \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X5 ", 0;\n"                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " " HD_WGMMA_REGS ", {" X0 ", " X1  \
                   ", " X2 ", " X3 "}, " X4 ", p, 1, 1, " X6 ";\n}\n"                                                  \
                   : HD_WGMMA_OPERANDS(d)                                                                              \
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(scaleD), "n"(TransB));                            \
    }                                                                                                                  \
  };

// 8-bit types and tf32: both operands K-major.
#define HD_WGMMA_PLAIN(N, TA, TB, K, TYPEA, TYPEB, X0, X1, X2, X3, X4, X5)                                             \
  template <> struct Wgmma<N, TA, TB> {                                                                                \
    static constexpr bool exists = true;                                                                               \
    static constexpr bool transposes = false;                                                                          \
    template <int, int> static __device__ __forceinline__ void ss(float *d, uint64_t a, uint64_t b, int scaleD) {      \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X2 ", 0;\n"                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #N K ".f32." TYPEA "." TYPEB " " HD_WGMMA_REGS ", " X0 ", " X1  \
                   ", p, 1, 1;\n}\n"                                                                                   \
                   : HD_WGMMA_OPERANDS(d)                                                                              \
                   : "l"(a), "l"(b), "r"(scaleD));                                                                     \
    }                                                                                                                  \
    template <int>                                                                                                     \
    static __device__ __forceinline__ void rs(float *d, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,            \
                                              uint64_t b, int scaleD) {                                                \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X5 ", 0;\n"                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #N K ".f32." TYPEA "." TYPEB " " HD_WGMMA_REGS ", {" X0 ", " X1 \
                   ", " X2 ", " X3 "}, " X4 ", p, 1, 1;\n}\n"                                                          \
                   : HD_WGMMA_OPERANDS(d)                                                                              \
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(scaleD));                                         \
    }                                                                                                                  \
  };

// Integers of 8 bits: both operands in shared memory and K-major; sums wrap.
#define HD_WGMMA_INT(N, X0, X1, X2)                                                                                    \
  template <> struct Wgmma<N, s8, s8> {                                                                                \
    static constexpr bool exists = true;                                                                               \
    static constexpr bool transposes = false;                                                                          \
    template <int, int> static __device__ __forceinline__ void ss(int *d, uint64_t a, uint64_t b, int scaleD) {        \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " X2 ", 0;\n"                                                     \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k32.s32.s8.s8 " HD_WGMMA_REGS ", " X0 ", " X1 ", p;\n}\n"   \
                   : HD_WGMMA_INT_OPERANDS(d)                                                                          \
                   : "l"(a), "l"(b), "r"(scaleD));                                                                     \
    }                                                                                                                  \
  };

template <class Op, int N, int R, int Part, int TransA, int TransB>
__device__ __forceinline__ constexpr void checkWgmma() {
  static_assert(Op::exists, "no wgmma of this N and these types (is wgmma_n<N>.h included?)");
  static_assert(R % (N / 2) == 0 && (Part + 1) * (N / 2) <= R, "expected N/2 registers of D for each part");
  static_assert(Op::transposes || (TransA == 0 && TransB == 0), "only 16-bit types may be MN-major");
}

} // namespace detail

/// A and B in shared memory. TransA, TransB: 0 = K-major, 1 = MN-major. scaleD 0: D = A*B, else D += A*B.
/// Uses d[Part*N/2 .. (Part+1)*N/2).
template <int N, class TA, class TB = TA, int TransA = 0, int TransB = 0, int Part = 0, class Sum, int R>
__device__ __forceinline__ void wgmmaSS(Sum (&d)[R], uint64_t descA, uint64_t descB, int scaleD) {
  using Op = detail::Wgmma<N, TA, TB>;
  detail::checkWgmma<Op, N, R, Part, TransA, TransB>();
  Op::template ss<TransA, TransB>(d + Part * (N / 2), descA, descB, scaleD);
}

/// A in registers (K-major fragment of rows 0..63), B in shared memory.
template <int N, class TA, class TB = TA, int TransB = 0, int Part = 0, int R>
__device__ __forceinline__ void wgmmaRS(float (&d)[R], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                        uint64_t descB, int scaleD) {
  using Op = detail::Wgmma<N, TA, TB>;
  detail::checkWgmma<Op, N, R, Part, 0, TransB>();
  Op::template rs<TransB>(d + Part * (N / 2), a0, a1, a2, a3, descB, scaleD);
}
/// Of 32-bit elements (tf32), which the tensor core cuts to 19 bits.
template <int N, class TA, class TB = TA, int TransB = 0, int Part = 0, int R>
__device__ __forceinline__ void wgmmaRS(float (&d)[R], float a0, float a1, float a2, float a3, uint64_t descB,
                                        int scaleD) {
  wgmmaRS<N, TA, TB, TransB, Part>(d, __float_as_uint(a0), __float_as_uint(a1), __float_as_uint(a2),
                                   __float_as_uint(a3), descB, scaleD);
}

} // namespace hd

#endif // HEDDLE_DEVICE_WARPGROUP_WGMMA_BASE_H
