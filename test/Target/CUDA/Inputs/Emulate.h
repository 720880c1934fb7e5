//===- Emulate.h - runs a printed kernel on the CPU ------------------------------===//
//
// Force-included before a kernel.cu that a host compiler builds. It stands for the headers of
// device/include that hold PTX (their include guards are defined here); plain ones (types,
// addresses, descriptors) are the real ones. Each GPU thread is a fiber; all run in turn on one
// CPU thread until they block, so a run is deterministic and a deadlock is seen (exit 2).
// Asynchronous instructions complete when issued. So: indices, layouts, swizzles, descriptors,
// phases and numerics are checked; races and missing fences are not.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_TEST_EMULATE_H
#define HEDDLE_TEST_EMULATE_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <vector>
#include <ucontext.h>

#define __device__
#define __host__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define HEDDLE_DEVICE_THREAD_CONVERT_H
#define HEDDLE_DEVICE_THREAD_FENCE_H
#define HEDDLE_DEVICE_THREAD_MATH_H
#define HEDDLE_DEVICE_THREAD_MBARRIER_H
#define HEDDLE_DEVICE_THREAD_MEMORY_H
#define HEDDLE_DEVICE_THREAD_TMA_H
#define HEDDLE_DEVICE_CTA_BARRIER_H
#define HEDDLE_DEVICE_WARP_ELECT_H
#define HEDDLE_DEVICE_WARP_MATRIX_H
#define HEDDLE_DEVICE_WARP_SHUFFLE_H
#define HEDDLE_DEVICE_WARPGROUP_REGISTERS_H
#define HEDDLE_DEVICE_WARPGROUP_WGMMA_BASE_H
// The instances per width need nothing here.
#define HD_WGMMA_16(...)
#define HD_WGMMA_PLAIN(...)

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
inline Dim3 threadIdx, blockIdx, gridDim, blockDim;

alignas(1024) inline char smemBytes[256 * 1024]; // the kernel's extern __shared__ array

namespace emu {

[[noreturn]] inline void fail(const char *what, long got = 0) {
  std::printf("emulation: %s (%ld) in thread %u\n", what, got, threadIdx.x);
  std::exit(2);
}

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  unsigned thread = 0;
  bool done = false;
};
inline std::vector<Fiber> fibers;
inline Fiber *current = nullptr;
inline ucontext_t scheduler;
inline bool moved = false;
inline std::function<void()> body;

inline void yield() { swapcontext(&current->context, &scheduler); }
template <class Condition> void waitUntil(Condition condition) {
  while (!condition())
    yield();
  moved = true;
}

struct Meeting {
  int arrived = 0;
  uint64_t generation = 0;
};
inline void arrive(Meeting &m, int threads) {
  if (++m.arrived == threads) {
    m.arrived = 0;
    ++m.generation;
  }
}
inline void meet(Meeting &m, int threads) {
  uint64_t generation = m.generation;
  arrive(m, threads);
  waitUntil([&] { return m.generation != generation; });
}

struct Warp {
  Meeting meeting;
  uint32_t slots[32][4];
};
inline Warp warps[32];
inline Meeting barriers[16];
inline Warp &warp() { return warps[threadIdx.x / 32]; }

struct Barrier {
  int count = 0, pending = 0, tx = 0, phase = 0;
};
inline std::map<uint32_t, Barrier> mbarriers;
inline Barrier &mbarrier(uint32_t address) {
  auto found = mbarriers.find(address);
  if (found == mbarriers.end())
    fail("mbarrier used before it was initialised, at", address);
  return found->second;
}
inline void settle(Barrier &b) {
  if (b.pending < 0)
    fail("more arrivals than the mbarrier counts");
  if (b.pending == 0 && b.tx == 0) {
    b.phase ^= 1;
    b.pending = b.count;
    moved = true;
  }
}

inline void run() {
  body();
  current->done = true;
  yield();
}

/// Runs the blocks of a grid one after the other.
inline void launch(Dim3 grid, unsigned threads, std::function<void()> kernel) {
  body = std::move(kernel);
  gridDim = grid;
  blockDim.x = threads;
  for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
        std::memset(smemBytes, 0xff, sizeof smemBytes);
        mbarriers.clear();
        fibers.assign(threads, Fiber());
        for (unsigned t = 0; t < threads; ++t) {
          Fiber &f = fibers[t];
          f.thread = t;
          f.stack.resize(512 * 1024);
          getcontext(&f.context);
          f.context.uc_stack.ss_sp = f.stack.data();
          f.context.uc_stack.ss_size = f.stack.size();
          f.context.uc_link = nullptr;
          makecontext(&f.context, run, 0);
        }
        bool first = true;
        for (size_t left = threads; left;) {
          moved = false;
          for (Fiber &f : fibers) {
            if (f.done)
              continue;
            current = &f;
            threadIdx.x = f.thread;
            swapcontext(&scheduler, &f.context);
            if (f.done) {
              --left;
              moved = true;
            }
          }
          if (!moved && !first)
            fail("deadlock, threads left", left);
          first = false;
        }
      }
}

} // namespace emu

#include "heddle_device/thread/types.h"
inline uint64_t __cvta_generic_to_shared(const void *p) { return static_cast<const char *>(p) - smemBytes; }
#include "heddle_device/thread/address.h"

inline float __int_as_float(int x) {
  float f;
  std::memcpy(&f, &x, 4);
  return f;
}
inline int __float_as_int(float f) {
  int x;
  std::memcpy(&x, &f, 4);
  return x;
}

namespace hd {

// thread/convert.h
inline float toFloat(float x) { return x; }
inline float toFloat(f16 x) {
  _Float16 h;
  std::memcpy(&h, &x, 2);
  return h;
}
inline float toFloat(bf16 x) { return __int_as_float(static_cast<int>(x.bits) << 16); }
inline float toFloat(tf32 x) { return x.value; }
inline float toFloat(e4m3 x) {
  int e = x.bits >> 3 & 15, m = x.bits & 7;
  float v = e == 15 && m == 7 ? NAN : e ? std::ldexp(1.0f + m / 8.0f, e - 7) : std::ldexp(m / 8.0f, -6);
  return x.bits & 128 ? -v : v;
}
inline float toFloat(e5m2 x) { return toFloat(f16{static_cast<uint16_t>(x.bits << 8)}); }
template <class T> T convert(float x);
template <> inline float convert<float>(float x) { return x; }
template <> inline f16 convert<f16>(float x) {
  _Float16 h = static_cast<_Float16>(x);
  f16 r;
  std::memcpy(&r, &h, 2);
  return r;
}
template <> inline bf16 convert<bf16>(float x) {
  uint32_t u = __float_as_int(x);
  return bf16{static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16)};
}
/// Nearest of the 256 values, even mantissa on ties, saturating: slow and obvious.
template <class T> T nearest8(float x, int finite) {
  T best{0};
  for (int i = 0; i <= finite; ++i) {
    T t{static_cast<uint8_t>(i)};
    float d = std::fabs(toFloat(t) - std::fabs(x)), b = std::fabs(toFloat(best) - std::fabs(x));
    if (d < b || (d == b && i % 2 == 0))
      best = t;
  }
  if (std::signbit(x))
    best.bits |= 128;
  return best;
}
template <> inline e4m3 convert<e4m3>(float x) { return nearest8<e4m3>(x, 0x7e); }
template <> inline e5m2 convert<e5m2>(float x) { return nearest8<e5m2>(x, 0x7b); }
template <class T> uint32_t pack(float lo, float hi) {
  return convert<T>(lo).bits | static_cast<uint32_t>(convert<T>(hi).bits) << 16;
}
template <class T> uint16_t pack2x8(float lo, float hi) {
  return static_cast<uint16_t>(convert<T>(lo).bits | convert<T>(hi).bits << 8);
}
template <class T> uint32_t pack4x8(float a, float b, float c, float d) {
  return pack2x8<T>(a, b) | static_cast<uint32_t>(pack2x8<T>(c, d)) << 16;
}
template <class T> float unpackLo(uint32_t pair) { return toFloat(T{static_cast<uint16_t>(pair & 0xffff)}); }
template <class T> float unpackHi(uint32_t pair) { return toFloat(T{static_cast<uint16_t>(pair >> 16)}); }
inline float toTf32(float x) { return x; }

// thread/math.h
inline float ex2(float x) { return std::exp2(x); }
inline float lg2(float x) { return std::log2(x); }
inline float rcp(float x) { return 1.0f / x; }
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline float sqrtApprox(float x) { return std::sqrt(x); }
inline float tanhApprox(float x) { return std::tanh(x); }
inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline float fmax(float a, float b) { return std::fmax(a, b); }
inline float fmin(float a, float b) { return std::fmin(a, b); }
inline float fabs(float a) { return std::fabs(a); }
inline float infinity() { return INFINITY; }
constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }
constexpr int min(int a, int b) { return a < b ? a : b; }
constexpr int max(int a, int b) { return a < b ? b : a; }

// thread/memory.h
template <class T> void checkShared(uint32_t address) {
  if (address % sizeof(T) || address + sizeof(T) > sizeof smemBytes)
    emu::fail("misaligned or wild shared address", address);
}
template <class T> T ldShared(uint32_t address) {
  checkShared<T>(address);
  T x;
  std::memcpy(&x, smemBytes + address, sizeof x);
  return x;
}
template <class T> void stShared(uint32_t address, T x) {
  checkShared<T>(address);
  std::memcpy(smemBytes + address, &x, sizeof x);
}
template <class T> T ldGlobal(const void *p) { return *static_cast<const T *>(p); }
template <class T> T ldGlobalReadOnly(const void *p) { return *static_cast<const T *>(p); }
template <class T> void stGlobal(void *p, T x) { *static_cast<T *>(p) = x; }
inline void addGlobal(float *p, float x) { *p += x; }

// thread/fence.h, warpgroup/registers.h, and waits of what has completed already
inline void fenceProxyAsync() {}
inline void fenceProxyAsyncGlobal() {}
inline void fenceGpu() {}
inline void fenceSystem() {}
template <int> void registersInc() {}
template <int> void registersDec() {}
inline void wgmmaFence() {}
inline void wgmmaCommit() {}
template <int> void wgmmaWait() {}
template <class T> void fenceOperand(T &) {}
template <class T> void pinOrder(T) {}
template <class T> T pinAfter(T x) { return x; }
template <class T, int R> void pinAfter(T (&)[R]) {}
inline void tmaCommit() {}
template <int> void tmaWaitRead() {}
template <int> void tmaWait() {}
inline void tmaPrefetchMap(const void *) {}

// warp/elect.h, warp/shuffle.h, cta/barrier.h
inline int threadIndex() { return threadIdx.x; }
inline int laneIndex() { return threadIdx.x % 32; }
inline int warpIndex() { return threadIdx.x / 32; }
inline int warpgroupIndex() { return threadIdx.x / 128; }
inline bool electOne() { return threadIdx.x % 32 == 0; }
inline void warpSync() { emu::meet(emu::warp().meeting, 32); }
template <class T> T shfl(T x, int lane) {
  emu::Warp &w = emu::warp();
  std::memcpy(w.slots[threadIdx.x % 32], &x, 4);
  emu::meet(w.meeting, 32);
  std::memcpy(&x, w.slots[lane & 31], 4);
  emu::meet(w.meeting, 32);
  return x;
}
template <class T> T shflXor(T x, int mask) { return shfl(x, static_cast<int>(threadIdx.x % 32) ^ mask); }
inline void barrierSync(int id, int threads) { emu::meet(emu::barriers[id], threads); }
inline void barrierArrive(int id, int threads) { emu::arrive(emu::barriers[id], threads); }
inline void ctaSync() { emu::meet(emu::barriers[0], blockDim.x); }

// thread/mbarrier.h
inline void mbarrierInit(uint32_t bar, uint32_t count) { emu::mbarriers[bar] = {static_cast<int>(count), static_cast<int>(count), 0, 0}; }
inline void mbarrierFenceInit() {}
inline void mbarrierArrive(uint32_t bar) {
  emu::Barrier &b = emu::mbarrier(bar);
  --b.pending;
  emu::settle(b);
}
inline void mbarrierExpectTx(uint32_t bar, uint32_t bytes) {
  emu::mbarrier(bar).tx += bytes;
  mbarrierArrive(bar);
}
inline void mbarrierArriveIf(uint32_t bar, bool pred) {
  if (pred)
    mbarrierArrive(bar);
}
inline bool mbarrierTryWait(uint32_t bar, uint32_t parity) { return emu::mbarrier(bar).phase != static_cast<int>(parity); }
inline void mbarrierWait(uint32_t bar, uint32_t parity) {
  emu::waitUntil([&] { return mbarrierTryWait(bar, parity); });
}

} // namespace hd

// thread/tma.h
namespace emu {

/// What a CUtensorMap says; dimensions innermost first, strides in bytes.
struct Map {
  char *base;
  int rank;
  int64_t size[5], stride[5];
  int box[5];
  int elem, swizzle;
};

inline hd::TensorMap tensorMap(const Map &map) {
  hd::TensorMap t{};
  t.opaque[0] = reinterpret_cast<uint64_t>(new Map(map));
  return t;
}

inline uint32_t swizzled(int bytes, uint32_t a) {
  return bytes == 128 ? hd::swizzle<128>(a) : bytes == 64 ? hd::swizzle<64>(a) : bytes == 32 ? hd::swizzle<32>(a) : a;
}

/// Calls visit(shared address, global address or null) for every element of a box.
template <class Visit> int64_t forBox(uint32_t shared, const void *tensor, std::vector<int> corner, Visit visit) {
  const Map &map = *reinterpret_cast<const Map *>(static_cast<const hd::TensorMap *>(tensor)->opaque[0]);
  if (static_cast<int>(corner.size()) != map.rank)
    fail("coordinates for a tensor map of another rank", map.rank);
  if (shared % (map.swizzle ? 8 * map.swizzle : 128))
    fail("box at an unaligned shared address", shared);
  int64_t elements = 1;
  for (int d = 0; d < map.rank; ++d)
    elements *= map.box[d];
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i;
    char *global = map.base;
    for (int d = 0; d < map.rank; ++d) {
      int64_t c = corner[d] + rest % map.box[d];
      rest /= map.box[d];
      if (c < 0 || c >= map.size[d])
        global = nullptr;
      if (global)
        global += c * map.stride[d];
    }
    visit(smemBytes + swizzled(map.swizzle, shared + i * map.elem), global, map.elem);
  }
  return elements * map.elem;
}

} // namespace emu

namespace hd {
template <class... C> void tmaLoad(uint32_t dst, const void *map, uint32_t bar, C... c) {
  int64_t bytes = emu::forBox(dst, map, {c...}, [](char *shared, char *global, int elem) {
    if (global)
      std::memcpy(shared, global, elem);
    else
      std::memset(shared, 0, elem);
  });
  emu::Barrier &b = emu::mbarrier(bar);
  b.tx -= bytes;
  emu::settle(b);
}
template <class... C> void tmaStore(const void *map, uint32_t src, C... c) {
  emu::forBox(src, map, {c...}, [](char *shared, char *global, int elem) {
    if (global)
      std::memcpy(global, shared, elem);
  });
}
template <class... C> void tmaStoreAdd(const void *map, uint32_t src, C... c) {
  emu::forBox(src, map, {c...}, [](char *shared, char *global, int elem) {
    if (elem != 4)
      emu::fail("reduction of elements of size", elem);
    if (global)
      *reinterpret_cast<float *>(global) += *reinterpret_cast<float *>(shared);
  });
}

// warpgroup/wgmma_base.h. PTX ISA: matrix descriptor; hopper_guide A2 to A4.
template <class T> float element(const char *p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return toFloat(x);
}
/// Element (mn, k) of one instruction's operand.
template <class T> float operandAt(uint64_t desc, bool mnMajor, int mn, int k) {
  uint32_t start = (desc & 0x3fff) << 4, lbo = (desc >> 16 & 0x3fff) << 4, sbo = (desc >> 32 & 0x3fff) << 4;
  int mode = desc >> 62, bytes = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 0;
  if (!bytes)
    emu::fail("descriptor without swizzle");
  int width = bytes / static_cast<int>(sizeof(T));
  uint32_t address = mnMajor ? start + mn / width * lbo + k / 8 * sbo + k % 8 * bytes + mn % width * sizeof(T)
                             : start + mn / 8 * sbo + mn % 8 * bytes + k * sizeof(T);
  return element<T>(smemBytes + emu::swizzled(bytes, address));
}
template <int N, class TB, int TransB, int R, class A>
void multiply(float (&d)[R], int part, int steps, uint64_t descB, int scaleD, A a) {
  int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  static_assert(R % (N / 2) == 0, "registers of whole parts");
  for (int r = 0; r < N / 2; ++r) {
    int row = 16 * warp + lane / 4 + 8 * (r / 2 % 2), col = 8 * (r / 4) + 2 * (lane % 4) + r % 2;
    float sum = scaleD ? d[part * N / 2 + r] : 0.0f;
    for (int k = 0; k < steps; ++k)
      sum += a(row, k) * operandAt<TB>(descB, TransB, col, k);
    d[part * N / 2 + r] = sum;
  }
}
template <int N, class TA, class TB = TA, int TransA = 0, int TransB = 0, int Part = 0, int R>
void wgmmaSS(float (&d)[R], uint64_t descA, uint64_t descB, int scaleD) {
  multiply<N, TB, TransB>(d, Part, 32 / sizeof(TA), descB, scaleD,
                          [&](int row, int k) { return operandAt<TA>(descA, TransA, row, k); });
}
template <int N, class TA, class TB = TA, int TransB = 0, int Part = 0, int R>
void wgmmaRS(float (&d)[R], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint64_t descB, int scaleD) {
  emu::Warp &w = emu::warp();
  uint32_t mine[4] = {a0, a1, a2, a3};
  std::memcpy(w.slots[threadIdx.x % 32], mine, sizeof mine);
  emu::meet(w.meeting, 32);
  constexpr int perWord = 4 / sizeof(TA);
  multiply<N, TB, TransB>(d, Part, 32 / sizeof(TA), descB, scaleD, [&](int row, int k) {
    int lane = row % 8 * 4 + k / perWord % 4, word = row / 8 % 2 + 2 * (k / (4 * perWord));
    return element<TA>(reinterpret_cast<const char *>(&w.slots[lane][word]) + k % perWord * sizeof(TA));
  });
  emu::meet(w.meeting, 32);
}
} // namespace hd

#endif // HEDDLE_TEST_EMULATE_H
