//===- heddle_emulation/device.h - the device library for a run on the CPU -----------------------===//
//
// What:  force-included before a kernel.cu that the host's C++ compiler builds. Stands for the headers of
//        heddle_device that hold PTX (their include guards are defined here) with calls of the emulator;
//        those without PTX (types, addresses, descriptors) are the real ones.
// Lines: __builtin_LINE() as a default argument is the line of the call, so a fault names its place.
// Cost:  parsed for every emulated kernel: no header of the C++ library.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_DEVICE_H
#define HEDDLE_EMULATION_DEVICE_H

#include "heddle_emulation/abi.h"

#define __device__
#define __host__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define HEDDLE_DEVICE_CLUSTER_CLUSTER_H
#define HEDDLE_DEVICE_CTA_BARRIER_H
#define HEDDLE_DEVICE_THREAD_CONVERT_H
#define HEDDLE_DEVICE_THREAD_COPY_H
#define HEDDLE_DEVICE_THREAD_COUNTER_H
#define HEDDLE_DEVICE_THREAD_TENSORMAP_H
#define HEDDLE_DEVICE_THREAD_FENCE_H
#define HEDDLE_DEVICE_THREAD_MATH_H
#define HEDDLE_DEVICE_THREAD_MBARRIER_H
#define HEDDLE_DEVICE_THREAD_MEMORY_H
#define HEDDLE_DEVICE_THREAD_PIN_H
#define HEDDLE_DEVICE_THREAD_TMA_H
#define HEDDLE_DEVICE_WARP_ELECT_H
#define HEDDLE_DEVICE_WARP_MATRIX_H
#define HEDDLE_DEVICE_WARP_SHUFFLE_H
#define HEDDLE_DEVICE_WARP_VOTE_H
#define HEDDLE_DEVICE_WARPGROUP_REGISTERS_H
#define HEDDLE_DEVICE_WARPGROUP_WGMMA_BASE_H
// The instances per width need nothing here.
#define HD_WGMMA_16(...)
#define HD_WGMMA_PLAIN(...)
#define HD_WGMMA_INT(...)

// What CUDA declares in every text.
extern "C" {
float fmodf(float, float) noexcept;
float floorf(float) noexcept;
float ceilf(float) noexcept;
float truncf(float) noexcept;
float rintf(float) noexcept;
float roundf(float) noexcept;
float expm1f(float) noexcept;
float log1pf(float) noexcept;
float erff(float) noexcept;
float sinf(float) noexcept;
float cosf(float) noexcept;
float exp2f(float) noexcept;
float log2f(float) noexcept;
float sqrtf(float) noexcept;
float tanhf(float) noexcept;
float fmaf(float, float, float) noexcept;
float fmaxf(float, float) noexcept;
float fminf(float, float) noexcept;
float fabsf(float) noexcept;
float powf(float, float) noexcept;
float copysignf(float, float) noexcept;
float cbrtf(float) noexcept;
float atanf(float) noexcept;
float atan2f(float, float) noexcept;
float erfcf(float) noexcept;
float sinhf(float) noexcept;
float coshf(float) noexcept;
float asinf(float) noexcept;
float acosf(float) noexcept;
float asinhf(float) noexcept;
float acoshf(float) noexcept;
float atanhf(float) noexcept;
float hypotf(float, float) noexcept;
float lgammaf(float) noexcept;
float nextafterf(float, float) noexcept;
double fmod(double, double) noexcept;
double fmax(double, double) noexcept;
double fmin(double, double) noexcept;
double exp2(double) noexcept;
double exp(double) noexcept;
double expm1(double) noexcept;
double log2(double) noexcept;
double log(double) noexcept;
double log10(double) noexcept;
double log1p(double) noexcept;
double sqrt(double) noexcept;
double tanh(double) noexcept;
double fabs(double) noexcept;
double fma(double, double, double) noexcept;
double pow(double, double) noexcept;
double copysign(double, double) noexcept;
double cbrt(double) noexcept;
double atan(double) noexcept;
double atan2(double, double) noexcept;
double erfc(double) noexcept;
double sinh(double) noexcept;
double cosh(double) noexcept;
double tan(double) noexcept;
double asin(double) noexcept;
double acos(double) noexcept;
double asinh(double) noexcept;
double acosh(double) noexcept;
double atanh(double) noexcept;
double floor(double) noexcept;
double ceil(double) noexcept;
double trunc(double) noexcept;
double rint(double) noexcept;
double round(double) noexcept;
double sin(double) noexcept;
double cos(double) noexcept;
double erf(double) noexcept;
double hypot(double, double) noexcept;
double lgamma(double) noexcept;
}
// What the host's library does not have: the inverse of erf by halving, and the mean of exp(x cos t) over half a turn.
inline double erfinv(double y) {
  const double size = y < 0 ? -y : y;
  if (!(size < 1))
    return size == 1 ? y * __builtin_inf() : __builtin_nan("");
  double low = 0, high = 6;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    const bool below = size < 0.5 ? erf(middle) < size : erfc(middle) > 1 - size;
    (below ? low : high) = middle;
  }
  return y < 0 ? -low : low;
}
inline float erfinvf(float y) { return static_cast<float>(erfinv(y)); }
inline double cyl_bessel_i0(double x) {
  x = x < 0 ? -x : x;
  const int points = x < 1e4 ? 64 + static_cast<int>(x) : 64;
  double sum = 0;
  for (int i = 0; i < points; ++i)
    sum += exp(x * (cos(3.14159265358979323846 * (i + 0.5) / points) - 1));
  return x < 1e4 ? sum / points * exp(x / 2) * exp(x / 2) : x * __builtin_inf();
}
inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline float __uint_as_float(uint32_t x) { return __builtin_bit_cast(float, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline uint32_t __float_as_uint(float x) { return __builtin_bit_cast(uint32_t, x); }
inline uint64_t __cvta_generic_to_shared(const void *p) { return hdemu::sharedAddress(p); }

inline uint32_t __byte_perm(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    word |= static_cast<uint32_t>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return word;
}

#include "heddle_device/thread/address.h"
#include "heddle_device/thread/bytes.h"
#include "heddle_device/thread/types.h"

#define HD_LINE                                                                                                        \
  hdemu::Line line = hdemu::Line { __builtin_LINE() }

#include "heddle_emulation/numbers.h"

#include "heddle_device/thread/functions.h"

namespace hd {

// thread/memory.h
template <class T> T ldShared(uint32_t address, HD_LINE) {
  T x;
  hdemu::loadShared(&x, address, sizeof x, line);
  return x;
}
template <class T> void stShared(uint32_t address, T x, HD_LINE) { hdemu::storeShared(address, &x, sizeof x, line); }
template <class T> T ldGlobal(const void *p, HD_LINE) {
  T x;
  hdemu::loadGlobal(&x, p, sizeof x, line);
  return x;
}
template <class T> T ldGlobalReadOnly(const void *p, HD_LINE) { return ldGlobal<T>(p, line); }
template <class T> void stGlobal(void *p, T x, HD_LINE) { hdemu::storeGlobal(p, &x, sizeof x, line); }
inline void addGlobal(float *p, float x, HD_LINE) { hdemu::addGlobal(p, x, line); }
template <class N> void addGlobal(N *p, N x, HD_LINE) { stGlobal(p, static_cast<N>(ldGlobal<N>(p, line) + x), line); }
template <class T> void addGlobal(uint16_t *p, uint16_t x, HD_LINE) {
  stGlobal(p, convert<T>(toFloat(T{ldGlobal<uint16_t>(p, line)}) + toFloat(T{x})).bits, line);
}
template <int Bytes> bool isAligned(const void *p) { return reinterpret_cast<uintptr_t>(p) % Bytes == 0; }
template <class T> T loadGlobalIf(const void *p, bool inside, HD_LINE) {
  T x = {};
  if (inside)
    hdemu::loadGlobal(&x, p, sizeof x, line);
  return x;
}
template <class T> T streamGlobalIf(const void *p, bool inside, HD_LINE) { return loadGlobalIf<T>(p, inside, line); }
template <class T> void storeGlobalIf(void *p, bool inside, T x, HD_LINE) {
  if (inside)
    hdemu::storeGlobal(p, &x, sizeof x, line);
}

// thread/fence.h. CTAs run one after the other, so fences of wider scope have nothing to order.
inline void holdsAnything(uint32_t address, uint32_t bytes, uint32_t slots, uint32_t apart, HD_LINE) {
  for (uint32_t slot = 0; slot < slots; ++slot)
    hdemu::holdsAnything(address + slot * apart, bytes, line);
}
inline void fenceProxyAsync(HD_LINE) { hdemu::fenceProxyAsync(line); }
inline void fenceProxyAsyncGlobal() {}
inline void fenceGpu() {}
inline void fenceSystem() {}

// warp/vote.h
inline float timesUnlessOne(float x, float factor) { return x * factor; }

// warp/elect.h, warp/shuffle.h
inline int threadIndex() { return static_cast<int>(threadIdx.x); }
inline int laneIndex() { return static_cast<int>(threadIdx.x % 32); }
inline int warpIndex() { return static_cast<int>(threadIdx.x / 32); }
inline int warpgroupIndex() { return static_cast<int>(threadIdx.x / 128); }
inline int laneAgain() { return laneIndex(); }
inline int warpAgain() { return warpIndex(); }
inline bool electOne(HD_LINE) { return laneIndex() == hdemu::electedLane(line); }
inline void warpSync(HD_LINE) { hdemu::warpSync(line); }
template <class T> T shfl(T x, int lane, HD_LINE) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(shfl(static_cast<int>(x), lane, line));
  } else if constexpr (sizeof(T) == 8) {
    const uint64_t bits = __builtin_bit_cast(uint64_t, x);
    const uint64_t low = hdemu::exchange(static_cast<uint32_t>(bits), lane & 31, line);
    const uint64_t high = hdemu::exchange(static_cast<uint32_t>(bits >> 32), lane & 31, line);
    return __builtin_bit_cast(T, high << 32 | low);
  } else {
    static_assert(sizeof(T) == 4, "expected a value of 32 or 64 bits");
    return __builtin_bit_cast(T, hdemu::exchange(__builtin_bit_cast(uint32_t, x), lane & 31, line));
  }
}
inline uint32_t ldSharedUniform(uint32_t address, int lane, HD_LINE) {
  return shfl(lane == 0 ? ldShared<uint32_t>(address, line) : 0u, 0, line);
}
template <class T> T shflXor(T x, int mask, HD_LINE) { return shfl(x, laneIndex() ^ mask, line); }
template <class T> T shflUp(T x, int by, HD_LINE) {
  return shfl(x, laneIndex() < by ? laneIndex() : laneIndex() - by, line);
}
template <class T> T shflDown(T x, int by, HD_LINE) {
  return shfl(x, laneIndex() + by > 31 ? laneIndex() : laneIndex() + by, line);
}
template <int stride, int fromLane, int toLane, int firstBytes = 0x3210, int secondBytes = 0x7654, class T, int n>
void exchangeLanes(T (&to)[n], const T (&from)[n], int source, HD_LINE) {
  const bool later = laneIndex() >> toLane & 1;
  for (int r = 0; r < n; ++r) {
    if (r & stride)
      continue;
    const T words[2] = {from[r], from[r | stride]};
    uint32_t taken[2];
    for (int upper = 0; upper < 2; ++upper) { // the word that the lane's own bit in `toLane` names, of both lanes
      const T low = shfl(words[0], source | upper << fromLane, line);
      const T high = shfl(words[1], source | upper << fromLane, line);
      taken[upper] = __builtin_bit_cast(uint32_t, later ? high : low);
    }
    to[r] = __builtin_bit_cast(T, permuteBytes(taken[0], taken[1], firstBytes));
    to[r | stride] = __builtin_bit_cast(T, permuteBytes(taken[0], taken[1], secondBytes));
  }
}
template <int low, int high, int N> void turnQuads(uint32_t (&to)[N], const uint32_t (&from)[N], HD_LINE) {
  int next = 0;
  for (int r = 0; r < N; ++r) {
    if (r & (low | high))
      continue;
    const uint32_t w[4] = {from[r], from[r | low], from[r | high], from[r | low | high]};
    for (int i = 0; i < 4; ++i, ++next)
      for (int word = 0; word < 4; ++word) { // every lane gives each of its words
        const uint32_t other = shfl(w[word], (laneIndex() & ~3) + i, line);
        to[next] = word == (laneIndex() & 3) ? other : to[next];
      }
  }
}
template <int mask, bool reverse, class T, int n, class Op>
void scanLanes(T (&value)[n], T (&total)[n], Op op, HD_LINE) {
  const bool takes = ((laneIndex() & mask) != 0) != reverse;
  for (int r = 0; r < n; ++r) {
    const T other = shflXor(total[r], mask, line);
    value[r] = takes ? op(other, value[r]) : value[r];
    total[r] = op(total[r], other);
  }
}
template <int... masks, class T, int n, class Op> void foldLanes(T (&value)[n], Op op, HD_LINE) {
  auto step = [&](int mask) {
    for (int r = 0; r < n; ++r)
      value[r] = op(value[r], shflXor(value[r], mask, line));
  };
  (step(masks), ...);
}
inline float quadMax(float x, HD_LINE) {
  x = fmaxf(x, shflXor(x, 1, line));
  return fmaxf(x, shflXor(x, 2, line));
}
inline float quadSum(float x, HD_LINE) {
  x += shflXor(x, 1, line);
  return x + shflXor(x, 2, line);
}
inline float warpMax(float x, HD_LINE) {
  for (int mask = 16; mask > 0; mask >>= 1)
    x = fmaxf(x, shflXor(x, mask, line));
  return x;
}
inline float warpSum(float x, HD_LINE) {
  for (int mask = 16; mask > 0; mask >>= 1)
    x += shflXor(x, mask, line);
  return x;
}

// warp/matrix.h
inline void stmatrix4(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3, HD_LINE) {
  const uint32_t r[4] = {r0, r1, r2, r3};
  hdemu::storeMatrices(address, r, 4, false, line);
}
inline void stmatrix4Trans(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3, HD_LINE) {
  const uint32_t r[4] = {r0, r1, r2, r3};
  hdemu::storeMatrices(address, r, 4, true, line);
}
inline void stmatrix2(uint32_t address, uint32_t r0, uint32_t r1, HD_LINE) {
  const uint32_t r[2] = {r0, r1};
  hdemu::storeMatrices(address, r, 2, false, line);
}
inline void stmatrix2Trans(uint32_t address, uint32_t r0, uint32_t r1, HD_LINE) {
  const uint32_t r[2] = {r0, r1};
  hdemu::storeMatrices(address, r, 2, true, line);
}
inline void ldmatrix4(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, HD_LINE) {
  uint32_t *const r[4] = {&r0, &r1, &r2, &r3};
  hdemu::loadMatrices(address, r, 4, false, line);
}
inline void ldmatrix4Trans(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, HD_LINE) {
  uint32_t *const r[4] = {&r0, &r1, &r2, &r3};
  hdemu::loadMatrices(address, r, 4, true, line);
}
inline void ldmatrix2(uint32_t address, uint32_t &r0, uint32_t &r1, HD_LINE) {
  uint32_t *const r[2] = {&r0, &r1};
  hdemu::loadMatrices(address, r, 2, false, line);
}
inline void ldmatrix2Trans(uint32_t address, uint32_t &r0, uint32_t &r1, HD_LINE) {
  uint32_t *const r[2] = {&r0, &r1};
  hdemu::loadMatrices(address, r, 2, true, line);
}

// cta/barrier.h
inline void barrierSync(int id, int threads, HD_LINE) { hdemu::namedBarrier(id, threads, true, line); }
inline void barrierMeet(int id, int threads, HD_LINE) { hdemu::namedBarrier(id, threads, true, line); }
inline void barrierArrive(int id, int threads, HD_LINE) { hdemu::namedBarrier(id, threads, false, line); }
inline void ctaSync(HD_LINE) { hdemu::namedBarrier(0, static_cast<int>(blockDim.x), true, line); }

// thread/counter.h
inline int nextProgram(uint32_t *counter, int programs, HD_LINE) { return hdemu::nextProgram(counter, programs, line); }

// thread/tensormap.h
template <int N> struct MapPool {};
template <int Rank> struct MapShape {
  int size[Rank];
  int64_t stride[Rank - 1];
};
template <int N> class BorrowedMaps {
public:
  explicit BorrowedMaps(MapPool<N> &, bool = true) {}
  const TensorMap *operator[](int i) const { return &maps[i]; }
  template <int Bytes, int Swizzle, int Rank> void begin(int i, uint32_t, const uint32_t (&box)[Rank]) {
    begun[i] = {Bytes, Swizzle, {}};
    for (int d = 0; d < Rank; ++d)
      begun[i].box[d] = box[d];
  }
  template <int Rank> void prepare(int i, uint32_t scratch, const void *address, MapShape<Rank> shape, HD_LINE) {
    hdemu::makeMap(&prepared[i], scratch, address, begun[i].bytes, begun[i].swizzle, Rank, begun[i].box, shape.size,
                   shape.stride, line);
  }
  template <class... Maps> void publish(uint32_t, Maps... which) { ((maps[which] = prepared[which]), ...); }

private:
  struct Begun {
    int bytes, swizzle;
    uint32_t box[5];
  };
  TensorMap maps[N] = {}, prepared[N] = {};
  Begun begun[N] = {};
};

// cluster/cluster.h
inline uint32_t clusterRank() { return hdemu::clusterRank(); }
inline uint32_t clusterSize() { return hdemu::clusterSize(); }
inline void clusterArriveRelaxed(HD_LINE) { hdemu::unsupported("relaxed arrival at the cluster's barrier", line); }
inline void clusterArrive(HD_LINE) { hdemu::clusterArrive(line); }
inline void clusterWait(HD_LINE) { hdemu::clusterWait(line); }
inline void clusterSync(HD_LINE) {
  hdemu::warpSync(line);
  hdemu::clusterArrive(line);
  hdemu::clusterWait(line);
}
inline uint32_t mapToRank(uint32_t address, uint32_t, HD_LINE) {
  hdemu::unsupported("address in another CTA", line);
  return address;
}
inline void mbarrierArriveRemote(uint32_t bar, uint32_t rank, HD_LINE) { hdemu::mbarrierArriveAt(bar, rank, line); }
inline void mbarrierArriveRemoteIf(uint32_t bar, uint32_t rank, bool pred, HD_LINE) {
  if (pred)
    hdemu::mbarrierArriveAt(bar, rank, line);
}
template <int N> void mbarrierArriveCluster(uint32_t bar, int lane, HD_LINE) {
  if (lane < N)
    hdemu::mbarrierArriveAt(bar, static_cast<uint32_t>(lane), line);
}
template <int N> void mbarrierArriveCluster(uint32_t bar, HD_LINE) {
  for (uint32_t rank = 0; rank < N; ++rank)
    hdemu::mbarrierArriveAt(bar, rank, line);
}

// thread/mbarrier.h
inline void mbarrierInit(uint32_t bar, uint32_t count, HD_LINE) { hdemu::mbarrierInit(bar, count, line); }
inline void mbarrierFenceInit(HD_LINE) { hdemu::mbarrierFenceInit(line); }
inline void mbarrierArrive(uint32_t bar, HD_LINE) { hdemu::mbarrierArrive(bar, 0, line); }
inline void mbarrierExpectTx(uint32_t bar, uint32_t bytes, HD_LINE) { hdemu::mbarrierArrive(bar, bytes, line); }
inline void mbarrierArriveIf(uint32_t bar, bool pred, HD_LINE) {
  if (pred)
    hdemu::mbarrierArrive(bar, 0, line);
}
inline bool mbarrierTryWait(uint32_t bar, uint32_t parity, HD_LINE) { return hdemu::mbarrierTest(bar, parity, line); }
inline void mbarrierWait(uint32_t bar, uint32_t parity, HD_LINE) { hdemu::mbarrierWait(bar, parity, line); }

// thread/copy.h
inline void copyAsync(uint32_t to, const void *from, bool inside, HD_LINE) { hdemu::copyAsync(to, from, inside, line); }
inline void copiesArrive(uint32_t bar, HD_LINE) { hdemu::copiesArrive(bar, line); }
template <typename T> u32x4 loadPiece(const T *from, int first, int size, HD_LINE) {
  T elements[16 / sizeof(T)];
  for (int i = 0; i < static_cast<int>(16 / sizeof(T)); ++i)
    elements[i] = uint32_t(first + i) < uint32_t(size) ? ldGlobal<T>(from + i, line) : T(0);
  u32x4 piece;
  __builtin_memcpy(&piece, elements, sizeof piece);
  return piece;
}

// thread/tma.h
constexpr uint64_t kEvictNormal = 0, kEvictFirst = 1, kEvictLast = 2;
/// Up to five coordinates; what a call does not give is `kNone`.
constexpr int kNone = -2147483647 - 1;
struct Coordinates {
  int at[5], rank;
  constexpr Coordinates(int c0, int c1, int c2, int c3, int c4)
      : at{c0, c1, c2, c3, c4}, rank(1 + (c1 != kNone) + (c2 != kNone) + (c3 != kNone) + (c4 != kNone)) {}
};
inline void tmaLoad(uint32_t to, const void *map, uint32_t bar, int c0, int c1 = kNone, int c2 = kNone, int c3 = kNone,
                    int c4 = kNone, HD_LINE) {
  const Coordinates c(c0, c1, c2, c3, c4);
  hdemu::tensorLoad(to, map, bar, c.rank, c.at, line);
}
inline void tmaLoadHint(uint32_t to, const void *map, uint32_t bar, uint64_t, int c0, int c1 = kNone, int c2 = kNone,
                        int c3 = kNone, int c4 = kNone, HD_LINE) {
  tmaLoad(to, map, bar, c0, c1, c2, c3, c4, line);
}
inline void tmaLoadMulticast(uint32_t to, const void *map, uint32_t bar, uint16_t mask, int c0, int c1 = kNone,
                             int c2 = kNone, int c3 = kNone, int c4 = kNone, HD_LINE) {
  const Coordinates c(c0, c1, c2, c3, c4);
  hdemu::tensorLoadMulticast(to, map, bar, mask, c.rank, c.at, line);
}
inline void tmaStore(const void *map, uint32_t from, int c0, int c1 = kNone, int c2 = kNone, int c3 = kNone,
                     int c4 = kNone, HD_LINE) {
  const Coordinates c(c0, c1, c2, c3, c4);
  hdemu::tensorStore(map, from, c.rank, c.at, false, line);
}
inline void tmaStoreAdd(const void *map, uint32_t from, int c0, int c1 = kNone, int c2 = kNone, int c3 = kNone,
                        int c4 = kNone, HD_LINE) {
  const Coordinates c(c0, c1, c2, c3, c4);
  hdemu::tensorStore(map, from, c.rank, c.at, true, line);
}
inline void bulkLoad(uint32_t to, const void *from, uint32_t bytes, uint32_t bar, HD_LINE) {
  hdemu::bulkLoad(to, from, bytes, bar, line);
}
template <int N, typename T> void rowLoad(uint32_t to, const T *row, int first, int size, uint32_t bar, HD_LINE) {
  static_assert(N * sizeof(T) % 16 == 0, "expected rows of a multiple of 16 bytes");
  const T *from = row + first;
  if (first >= 0 && size - N >= first && reinterpret_cast<uintptr_t>(from) % 16 == 0) {
    mbarrierExpectTx(bar, N * sizeof(T), line);
    hdemu::bulkLoad(to, from, N * sizeof(T), bar, line);
    return;
  }
  for (int i = 0; i < N; ++i)
    stShared(to + i * sizeof(T), uint32_t(first + i) < uint32_t(size) ? ldGlobal<T>(from + i, line) : T(0), line);
  hdemu::fenceProxyAsync(line);
  mbarrierArrive(bar, line);
}
inline void bulkStore(void *to, uint32_t from, uint32_t bytes, HD_LINE) { hdemu::bulkStore(to, from, bytes, line); }
inline void tmaCommit(HD_LINE) { hdemu::bulkCommit(line); }
template <int N> void tmaWaitRead(HD_LINE) { hdemu::bulkWait(N, true, line); }
template <int N> void tmaWait(HD_LINE) { hdemu::bulkWait(N, false, line); }
inline void tmaPrefetchMap(const void *map, HD_LINE) { hdemu::checkMap(map, line); }

// warpgroup/registers.h
template <int R> void registersInc(HD_LINE) {
  static_assert(R % 8 == 0 && R >= 24 && R <= 256, "expected a multiple of 8 in 24..256");
  hdemu::setRegisters(R, true, line);
}
template <int R> void registersDec(HD_LINE) {
  static_assert(R % 8 == 0 && R >= 24 && R <= 256, "expected a multiple of 8 in 24..256");
  hdemu::setRegisters(R, false, line);
}

// warpgroup/wgmma_base.h. The operand fences and pins order a GPU compiler's instructions: nothing to do here.
inline void wgmmaFence(HD_LINE) { hdemu::wgmmaFence(line); }
inline void wgmmaCommit(HD_LINE) { hdemu::wgmmaCommit(line); }
template <int N> void wgmmaWait(HD_LINE) {
  static_assert(N >= 0 && N <= 7, "expected 0 to 7 pending groups");
  hdemu::wgmmaWait(N, line);
}
template <class T, int R> void fenceOperand(T (&)[R]) {}
template <int Count, class T, int R> void fenceOperand(T (&)[R], int) {}
template <class T> void pinOrder(T) {}
inline void endBlock(uint32_t) {}
template <class T> T pinAfter(T x) { return x; }
template <class T, int R> void pinAfter(T (&)[R]) {}

template <int N, class TA, class TB, int TransA, int TransB, int Part, int R> constexpr hdemu::WgmmaForm wgmmaForm() {
  static_assert(N % 8 == 0 && N >= 8 && N <= 256, "expected N to be a multiple of 8 in 8..256");
  static_assert(R % (N / 2) == 0 && (Part + 1) * (N / 2) <= R, "expected N/2 registers of D for each part");
  static_assert(sizeof(TA) == 2 || (TransA == 0 && TransB == 0), "only 16-bit types may be MN-major");
  return {N, TypeOf<TA>::value, TypeOf<TB>::value, TransA != 0, TransB != 0};
}
template <int N, class TA, class TB = TA, int TransA = 0, int TransB = 0, int Part = 0, class Sum, int R>
void wgmmaSS(Sum (&d)[R], uint64_t descA, uint64_t descB, int scaleD, HD_LINE) {
  constexpr bool integers = TypeOf<TA>::value == hdemu::Type::S8;
  static_assert(!integers || N <= 32 || N % 16 == 0, "expected an N that products of integers have");
  static_assert(integers == (Sum(1) / 2 == Sum(0)), "expected sums of int for integers, of float for floats");
  hdemu::wgmma(wgmmaForm<N, TA, TB, TransA, TransB, Part, R>(), d + Part * (N / 2), nullptr, descA, descB, scaleD,
               line);
}
/// The registers of A by reference: they are read when the product runs, not when it is issued.
template <int N, class TA, class TB = TA, int TransB = 0, int Part = 0, int R>
void wgmmaRS(float (&d)[R], const uint32_t &a0, const uint32_t &a1, const uint32_t &a2, const uint32_t &a3,
             uint64_t descB, int scaleD, HD_LINE) {
  const uint32_t *const a[4] = {&a0, &a1, &a2, &a3};
  hdemu::wgmma(wgmmaForm<N, TA, TB, 0, TransB, Part, R>(), d + Part * (N / 2), a, 0, descB, scaleD, line);
}
template <int N, class TA, class TB = TA, int TransB = 0, int Part = 0, int R>
void wgmmaRS(float (&d)[R], const float &a0, const float &a1, const float &a2, const float &a3, uint64_t descB,
             int scaleD, HD_LINE) {
  auto word = [](const float &a) { return reinterpret_cast<const uint32_t *>(&a); };
  const uint32_t *const a[4] = {word(a0), word(a1), word(a2), word(a3)};
  hdemu::wgmma(wgmmaForm<N, TA, TB, 0, TransB, Part, R>(), d + Part * (N / 2), a, 0, descB, scaleD, line);
}

} // namespace hd

#undef HD_LINE

/// After the kernel's text: gives the emulator its entry point and the sizes of its parameters.
template <class... P> struct HeddleEmulatedParameters {
  static constexpr int bytes[] = {static_cast<int>(sizeof(P))..., 0};
  template <int N, int... I> struct Make : Make<N - 1, N - 1, I...> {};
  template <int... I> struct Make<0, I...> {
    static void call(void (*kernel)(P...), void *const *values) { kernel(*static_cast<const P *>(values[I])...); }
  };
  static void call(void (*kernel)(P...), void *const *values) { Make<sizeof...(P)>::call(kernel, values); }
};
template <class... P> constexpr HeddleEmulatedParameters<P...> heddleEmulatedParametersOf(void (*)(P...)) { return {}; }
#define HD_EMULATED_KERNEL(name)                                                                                       \
  extern "C" void heddleEmulatedKernel(void *const *values) {                                                          \
    decltype(heddleEmulatedParametersOf(&name))::call(&name, values);                                                  \
  }                                                                                                                    \
  extern "C" const int *heddleEmulatedParameterBytes() { return decltype(heddleEmulatedParametersOf(&name))::bytes; }

#endif // HEDDLE_EMULATION_DEVICE_H
