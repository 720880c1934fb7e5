//===- heddle_device/warp/shuffle.h - exchange and reduction between lanes (PTX ISA: shfl.sync)
#ifndef HEDDLE_DEVICE_WARP_SHUFFLE_H
#define HEDDLE_DEVICE_WARP_SHUFFLE_H

#include "heddle_device/thread/convert.h"
#include "heddle_device/thread/memory.h"
#include <stdint.h>

namespace hd {

// Full warp, converged. T = float, int, uint32_t.
template <class T> __device__ __forceinline__ T shfl(T x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }
template <class T> __device__ __forceinline__ T shflXor(T x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }
template <class T> __device__ __forceinline__ T shflUp(T x, int by) { return __shfl_up_sync(0xffffffffu, x, by); }
template <class T> __device__ __forceinline__ T shflDown(T x, int by) { return __shfl_down_sync(0xffffffffu, x, by); }

/// The number at `addr` in shared memory, which lane 0 reads for the warp. Where that lane arrives to give the place
/// back, no other has read it: racecheck of compute-sanitizer follows no order through a synchronisation of the warp.
/// Full warp, converged.
__device__ __forceinline__ uint32_t ldSharedUniform(uint32_t addr, int lane) {
  uint32_t number = 0;
  if (lane == 0)
    number = ldShared<uint32_t>(addr);
  return shfl(number, 0);
}

/// Each element with those of the lanes whose numbers differ by each of `masks`, one mask after the other.
template <int... masks, class T, int n, class Op> __device__ __forceinline__ void foldLanes(T (&value)[n], Op op) {
  auto step = [&](int mask) {
#pragma unroll
    for (int r = 0; r < n; ++r)
      value[r] = op(value[r], shflXor(value[r], mask));
  };
  (step(masks), ...);
}

/// One step of a scan: `total` is the fold of a block of positions, `value` of those of it up to (`reverse`: from) its
/// own; the lanes whose numbers differ by `mask` hold the block's neighbour, that with the bit the later one.
template <int mask, bool reverse, class T, int n, class Op>
__device__ __forceinline__ void scanLanes(T (&value)[n], T (&total)[n], Op op) {
  const bool takes = ((laneIndex() & mask) != 0) != reverse;
#pragma unroll
  for (int r = 0; r < n; ++r) {
    const T other = shflXor(total[r], mask);
    value[r] = takes ? op(other, value[r]) : value[r];
    total[r] = op(total[r], other);
  }
}

/// Words and lanes change places: what told apart words `stride` apart tells apart lanes by the bit `toLane` of their
/// number, and what the bit `fromLane` did the words. Of the other bits of the lane that a word comes from, those of
/// `source`, the caller says where they stand. Then bytes: digit i of the hexadecimal `firstBytes` names byte i of the
/// first word among those of the two (4 to 7: of the second), `secondBytes` those of the second one. T of 4 bytes; `to`
/// may be `from`. Full warp, converged.
template <int stride, int fromLane, int toLane, int firstBytes = 0x3210, int secondBytes = 0x7654, class T, int n>
__device__ __forceinline__ void exchangeLanes(T (&to)[n], const T (&from)[n], int source) {
  static_assert(sizeof(T) == 4, "expected words of 32 bits");
  auto bits = [](const T &x) { return reinterpret_cast<const uint32_t &>(x); };
  const bool upper = laneIndex() >> fromLane & 1, later = laneIndex() >> toLane & 1;
  // A lane gives the word that its own bit names, then the other one, and takes them from two lanes in turn.
  const int firstLane = source | later << fromLane, secondLane = source | !later << fromLane;
  const uint32_t first = later ? firstBytes ^ 0x4444 : firstBytes, second = later ? secondBytes ^ 0x4444 : secondBytes;
#pragma unroll
  for (int r = 0; r < n; ++r) {
    if (r & stride)
      continue;
    const uint32_t low = bits(from[r]), high = bits(from[r | stride]);
    const uint32_t one = shfl(upper ? high : low, firstLane), two = shfl(upper ? low : high, secondLane);
    reinterpret_cast<uint32_t &>(to[r]) = permuteBytes(one, two, first);
    reinterpret_cast<uint32_t &>(to[r | stride]) = permuteBytes(one, two, second);
  }
}

/// Four words of each of four neighbouring lanes, turned: word i of lane j is what word j of lane i was. Of N words
/// those are taken together whose numbers differ in the bits `low` and `high`; they stand next to each other in `to`.
template <int low, int high, int N>
__device__ __forceinline__ void turnQuads(uint32_t (&to)[N], const uint32_t (&from)[N]) {
  const bool odd = laneIndex() & 1, upper = laneIndex() & 2;
  int next = 0;
#pragma unroll
  for (int r = 0; r < N; ++r) {
    if (r & (low | high))
      continue;
    uint32_t w[4] = {from[r], from[r | low], from[r | high], from[r | low | high]};
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const uint32_t other = shflXor(odd ? w[i] : w[i + 1], 1);
      w[i] = odd ? other : w[i];
      w[i + 1] = odd ? w[i + 1] : other;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t other = shflXor(upper ? w[i] : w[i + 2], 2);
      w[i] = upper ? other : w[i];
      w[i + 2] = upper ? w[i + 2] : other;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[next++] = w[i];
  }
}

/// Over the 4 lanes that hold one accumulator row; every lane gets the result.
__device__ __forceinline__ float quadMax(float x) {
  x = ::fmaxf(x, shflXor(x, 1));
  return ::fmaxf(x, shflXor(x, 2));
}
__device__ __forceinline__ float quadSum(float x) {
  x += shflXor(x, 1);
  return x + shflXor(x, 2);
}

/// Over the 32 lanes.
__device__ __forceinline__ float warpMax(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1)
    x = ::fmaxf(x, shflXor(x, mask));
  return x;
}
__device__ __forceinline__ float warpSum(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1)
    x += shflXor(x, mask);
  return x;
}

} // namespace hd

#endif // HEDDLE_DEVICE_WARP_SHUFFLE_H
