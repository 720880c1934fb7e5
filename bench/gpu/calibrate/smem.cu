//===- smem.cu - shared-memory bandwidth and latency ------------------------------------------===//
//
// Kernels: <op>         each warp group moves its own 16 KB tile (64x128 f16, or the same bytes) per trip, free of
//          conflicts <op>_tensor  the same, while warp group 0 streams wgmma m64n128k16 (SS), which reads shared memory
//          too <op>_tensor_rs  A from registers: wgmma reads only B chain_ld32, chain_ld128  load whose address is the
//          value loaded before; chain_stld: store, then load
//          Ops: ld32, st32 (fragment order into 128-byte swizzled rows), ld128, st128, ldmatrix, stmatrix (x4)
//
//===-------------------------------------------------------------------------------------------===//
#include "common.cuh"

extern __shared__ __align__(1024) char smem[];

/// The 4-byte word of accumulator registers (2j, 2j + 1) as f16 in the swizzled tile [2 chunks][64 rows][128 bytes].
__device__ __forceinline__ uint32_t fragmentWord(uint32_t base, int j) {
  uint32_t t = threadIdx.x % 128, row = t / 32 * 16 + t % 32 / 4 + j % 2 * 8, col16 = j / 2; // 16-byte columns 0..15
  return base + col16 / 8 * 8192 + row * 128 + (((col16 % 8) ^ (row % 8)) * 16) + t % 4 * 4;
}
/// Row address that this lane gives to ldmatrix/stmatrix x4 number j of 8: 16 rows x 32 bytes.
__device__ __forceinline__ uint32_t matrixRow(uint32_t base, int j) {
  uint32_t t = threadIdx.x % 128, row = t / 32 * 16 + t % 16, col16 = j * 2 + t % 32 / 16;
  return base + col16 / 8 * 8192 + row * 128 + (((col16 % 8) ^ (row % 8)) * 16);
}
__device__ __forceinline__ uint32_t vectorWord(uint32_t base, int j) {
  return base + j * 2048 + threadIdx.x % 128 * 16;
}

// Volatile: ptxas hoists plain ld.shared out of the loops, forwards stores to loads and narrows vectors.
__device__ __forceinline__ uint32_t loadWord(uint32_t addr) {
  uint32_t r;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r) : "r"(addr) : "memory");
  return r;
}
__device__ __forceinline__ hd::u32x4 loadVector(uint32_t addr) {
  hd::u32x4 r;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3])
               : "r"(addr)
               : "memory");
  return r;
}

struct Ld32 {
  static __device__ __forceinline__ void apply(uint32_t base, uint32_t (&v)[4]) {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      v[j % 4] ^= loadWord(fragmentWord(base, j));
  }
};
struct Ld128 {
  static __device__ __forceinline__ void apply(uint32_t base, uint32_t (&v)[4]) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      hd::u32x4 x = loadVector(vectorWord(base, j));
#pragma unroll
      for (int i = 0; i < 4; ++i)
        v[i] ^= x.v[i];
    }
  }
};
struct LdMatrix {
  static __device__ __forceinline__ void apply(uint32_t base, uint32_t (&v)[4]) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      uint32_t x[4];
      hd::ldmatrix4(matrixRow(base, j), x[0], x[1], x[2], x[3]);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        v[i] ^= x[i];
    }
  }
};
struct St32 {
  static __device__ __forceinline__ void apply(uint32_t base, uint32_t (&v)[4]) {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      hd::stShared(fragmentWord(base, j), v[j % 4]);
  }
};
struct St128 {
  static __device__ __forceinline__ void apply(uint32_t base, uint32_t (&v)[4]) {
    hd::u32x4 x = {{v[0], v[1], v[2], v[3]}};
#pragma unroll
    for (int j = 0; j < 8; ++j)
      hd::stShared(vectorWord(base, j), x);
  }
};
struct StMatrix {
  static __device__ __forceinline__ void apply(uint32_t base, uint32_t (&v)[4]) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
      hd::stmatrix4(matrixRow(base, j), v[0], v[1], v[2], v[3]);
  }
};

template <class Op> __device__ __forceinline__ void moveLoop(Cycles *out, int wg, uint32_t base, int trips) {
  uint32_t v[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i)
    Op::apply(base, v);
  Cycles end = now();
  sink(out, v[0] ^ v[1] ^ v[2] ^ v[3]);
  report(out, wg, start, end);
}

template <class Op, bool Tensor, bool RS = false>
__device__ __forceinline__ void moveKernel(Cycles *out, int trips, int tensorTrips) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, kTensorBytes + 65536);
  int wg = hd::warpgroupIndex();
  if (Tensor && wg == 0) {
    tensorRole<RS>(out, base, tensorTrips);
  } else {
    moveLoop<Op>(out, wg, base + kTensorBytes + wg * 16384, trips);
  }
}

/// 16 dependent accesses a trip: the word at `home` holds the address `home`.
template <int WORDS, bool Store> __device__ __forceinline__ void chainKernel(Cycles *out, int trips) {
  uint32_t base = hd::smemAddr(smem);
  clearShared(base, 65536);
  uint32_t home = base + threadIdx.x * WORDS * 4, x = home;
  hd::stShared(home + (WORDS - 1) * 4, home);
  __syncthreads();
  Cycles start = now();
#pragma unroll 1
  for (int i = 0; i < trips; ++i)
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      if constexpr (Store)
        hd::stShared(x, x);
      if constexpr (WORDS == 4)
        x = loadVector(x).v[3];
      else
        x = loadWord(x);
    }
  Cycles end = now();
  sink(out, x);
  report(out, hd::warpgroupIndex(), start, end);
}

#define MOVE(NAME, OP)                                                                              \
  extern "C" __global__ void __launch_bounds__(512, 1) cal_##NAME(Cycles *out, int trips, int t) {  \
    moveKernel<OP, false>(out, trips, t);                                                           \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(384, 1)                                              \
      cal_##NAME##_tensor(Cycles *out, int trips, int t) {                                          \
    moveKernel<OP, true>(out, trips, t);                                                            \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(384, 1)                                              \
      cal_##NAME##_tensor_rs(Cycles *out, int trips, int t) {                                       \
    moveKernel<OP, true, true>(out, trips, t);                                                      \
  }
MOVE(ld32, Ld32)
MOVE(ld128, Ld128)
MOVE(ldmatrix, LdMatrix)
MOVE(st32, St32)
MOVE(st128, St128)
MOVE(stmatrix, StMatrix)

#define CHAIN(NAME, WORDS, STORE)                                                                   \
  extern "C" __global__ void __launch_bounds__(128, 1) chain_##NAME(Cycles *out, int trips) {       \
    chainKernel<WORDS, STORE>(out, trips);                                                          \
  }
CHAIN(ld32, 1, false)
CHAIN(ld128, 4, false)
CHAIN(stld, 1, true)
