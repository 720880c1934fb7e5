//===- heddle_device/warpgroup/fold.h - reductions and scans over the warps of a group --------===//
// Sums of columns: what threads hold of a column lies in several lanes of every warp. No PTX: the emulator includes
// this file as it stands, so that what it says of a line of it is about a call of these functions.
#ifndef HEDDLE_DEVICE_WARPGROUP_FOLD_H
#define HEDDLE_DEVICE_WARPGROUP_FOLD_H

#include "heddle_device/warp/shuffle.h"

namespace hd {

/// The bits of `value` that stand in `mask`, side by side.
__device__ __forceinline__ constexpr int bitsIn(int value, int mask) {
  int bits = 0, next = 0;
  for (int bit = 0; bit < 5; ++bit)
    if (mask >> bit & 1)
      bits |= (value >> bit & 1) << next++;
  return bits;
}

/// The other way: the lowest bits of `value` where `mask` has its own.
__device__ __forceinline__ constexpr int bitsInto(int value, int mask) {
  int bits = 0, next = 0;
  for (int bit = 0; bit < 5; ++bit)
    if (mask >> bit & 1)
      bits |= (value >> next++ & 1) << bit;
  return bits;
}

/// The greatest divisor of `count` that is at most `most`.
__device__ __forceinline__ constexpr int greatestDivisor(int count, int most) {
  return count % most == 0 ? most : greatestDivisor(count, most - 1);
}

/// How often divideLanes halves `count` elements, of at most `masks` times.
__device__ __forceinline__ constexpr int halvingsOf(int count, int masks) {
  return masks > 0 && count % 2 == 0 ? 1 + halvingsOf(count / 2, masks - 1) : 0;
}

/// The first `count` elements of all lanes whose numbers differ by the masks, folded. While their number is even, two
/// lanes divide them: each gives half of its own away and keeps the other half, at the front of `value`; else both
/// keep all. Returns the place of the first one that this lane keeps. Full warp, converged.
template <int count, int mask, int... rest, class T, int n, class Op>
__device__ __forceinline__ int divideLanes(T (&value)[n], Op op) {
  constexpr int left = count % 2 ? count : count / 2;
  const bool upper = laneIndex() & mask;
#pragma unroll
  for (int r = 0; r < left; ++r) {
    const T own = left < count && upper ? value[(left < count ? left : 0) + r] : value[r];
    const T given = left < count && !upper ? value[left + r] : value[r];
    value[r] = op(own, shflXor(given, mask));
  }
  int first = left < count && upper ? left : 0;
  if constexpr (sizeof...(rest) > 0)
    first += divideLanes<left, rest...>(value, op);
  return first;
}

/// `count` elements of `value` at `addr` in shared memory, 16 bytes at a time where they are whole ones.
template <int count, class T, int n> __device__ __forceinline__ void stSharedRun(uint32_t addr, const T (&value)[n]) {
  if constexpr (sizeof(T) == 4 && count % 4 == 0) {
    auto bits = [&](int r) { return reinterpret_cast<const uint32_t &>(value[r]); };
#pragma unroll
    for (int r = 0; r < count; r += 4)
      stShared(addr + r * 4, u32x4{bits(r), bits(r + 1), bits(r + 2), bits(r + 3)});
  } else {
#pragma unroll
    for (int r = 0; r < count; ++r)
      if constexpr (sizeof(T) == 4)
        stShared(addr + r * 4, reinterpret_cast<const uint32_t &>(value[r]));
      else
        stShared(addr + r * static_cast<int>(sizeof(T)), value[r]);
  }
}

/// The other way.
template <class T, int n> __device__ __forceinline__ void ldSharedRun(T (&value)[n], uint32_t addr) {
  if constexpr (sizeof(T) == 4 && n % 4 == 0) {
#pragma unroll
    for (int r = 0; r < n; r += 4) {
      const u32x4 four = ldShared<u32x4>(addr + r * 4);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        reinterpret_cast<uint32_t &>(value[r + i]) = four.v[i];
    }
  } else {
#pragma unroll
    for (int r = 0; r < n; ++r)
      if constexpr (sizeof(T) == 4)
        reinterpret_cast<uint32_t &>(value[r]) = ldShared<uint32_t>(addr + r * 4);
      else
        value[r] = ldShared<T>(addr + r * static_cast<int>(sizeof(T)));
  }
}

/// Each element with those of the lanes whose numbers differ by each of `masks` and of the warps of the group whose
/// numbers differ in bits of `warpMask`, of which there is at least one; all get the same bits. Lanes divide what
/// they fold in a warp, threads what is then folded over warps. `scratch` has room for 32 >> (number of masks) rows of
/// `pitch` elements for each warp (n, and enough for other banks), at multiples of 16 bytes; `barrier` waits for the
/// group, which calls this with all its warps, converged.
template <int warpMask, int pitch, int... masks, class T, int n, class Op, class Barrier>
__device__ __forceinline__ void foldWarps(T (&value)[n], uint32_t scratch, int warp, Op op, Barrier barrier) {
  constexpr int laneMask = (0 | ... | masks), rows = 32 >> sizeof...(masks);
  const int lane = laneIndex(), row = bitsIn(lane, ~laneMask);
  auto place = [&](int ofWarp, int ofRow, int column) {
    return scratch + ((ofWarp * rows + ofRow) * pitch + column) * static_cast<int>(sizeof(T));
  };
  if constexpr (sizeof...(masks) > 0) {
    constexpr int halvings = halvingsOf(n, sizeof...(masks));
    int step = 0, copies = 0; // of lanes that keep the same: one stores
    ((copies |= step++ < halvings ? 0 : masks), ...);
    const int first = divideLanes<n, masks...>(value, op);
    if ((lane & copies) == 0)
      stSharedRun<(n >> halvings)>(place(warp, row, first), value);
  } else {
    stSharedRun<n>(place(warp, row, 0), value);
  }
  barrier();
  constexpr int folded = bitsIn(31, warpMask) + 1, threads = 32 * folded, all = rows * n; // warps, threads, results
  const int firstWarp = warp & ~warpMask, thread = bitsIn(warp, warpMask) * 32 + lane;
#pragma unroll
  for (int i = 0; i < all; i += threads) {
    const int at = i + thread;
    if (all % threads == 0 || at < all) {
      auto partial = [&](int w) {
        const uint32_t from = place(firstWarp | bitsInto(w, warpMask), at / n, at % n);
        if constexpr (sizeof(T) == 4) {
          const uint32_t bits = ldShared<uint32_t>(from);
          return reinterpret_cast<const T &>(bits);
        } else {
          return ldShared<T>(from);
        }
      };
      T total[1] = {partial(0)};
#pragma unroll
      for (int w = 1; w < folded; ++w)
        total[0] = op(total[0], partial(w));
      stSharedRun<1>(place(firstWarp, at / n, at % n), total);
    }
  }
  barrier();
  ldSharedRun(value, place(firstWarp, row, 0));
  barrier();
}

/// Joins the scans of warps: the bits `warpMask` of a warp's number, the lowest first, say which block of positions it
/// has; `blocks` are the folds of its blocks, equal in lanes whose numbers differ in `laneMask` alone. Behind it, every
/// element r of `value` has also what the warps before (reverse: behind) hold of its block, which is number blockOf(r);
/// where `keepsTotals`, `blocks` are the folds of all these warps. `scratch` has room for 32 rows, less by a half for
/// each bit of `laneMask`, of `pitch` elements for each warp of the group, at multiples of 16 bytes; `barrier` waits
/// for the group, which calls this with all its warps, converged.
template <int warpMask, int laneMask, int pitch, bool reverse, bool keepsTotals, class T, int n, int count, class Op,
          class BlockOf, class Barrier>
__device__ __forceinline__ void scanWarps(T (&value)[n], T (&blocks)[count], uint32_t scratch, int warp, Op op,
                                          BlockOf blockOf, Barrier barrier) {
  constexpr int rows = bitsIn(31, ~laneMask) + 1, warps = bitsIn(31, warpMask) + 1;
  const int lane = laneIndex(), row = bitsIn(lane, ~laneMask), own = bitsIn(warp, warpMask);
  auto place = [&](int ofWarp) { return scratch + (ofWarp * rows + row) * pitch * static_cast<int>(sizeof(T)); };
  if ((lane & laneMask) == 0)
    stSharedRun<count>(place(warp), blocks);
  barrier();
  constexpr int run = count <= 16 ? count : greatestDivisor(count, 16); // blocks at a time: few registers
#pragma unroll
  for (int first = 0; first < count; first += run) {
#pragma unroll
    for (int x = 1; x < warps; ++x) {
      const int other = own ^ x;
      const bool isBefore = reverse ? other > own : other < own; // of all threads of a warp alike
      if (keepsTotals || isBefore) {
        T part[run];
        ldSharedRun(part, place((warp & ~warpMask) | bitsInto(other, warpMask)) + first * static_cast<int>(sizeof(T)));
#pragma unroll
        for (int r = 0; r < n; ++r)
          if (blockOf(r) / run * run == first)
            value[r] = isBefore ? op(part[blockOf(r) % run], value[r]) : value[r];
        if constexpr (keepsTotals) {
#pragma unroll
          for (int b = 0; b < run; ++b)
            blocks[first + b] = op(blocks[first + b], part[b]);
        }
      }
    }
  }
  barrier();
}

} // namespace hd

#endif // HEDDLE_DEVICE_WARPGROUP_FOLD_H
