//===- heddle_device/thread/tensormap.h - tensor maps that a kernel makes -----------------------===//
// Of tensors whose addresses, sizes and strides stand in memory (PTX ISA: tensormap.replace). One thread makes a map
// and copies with it. Copies want maps in global memory, which a block borrows while it runs.
#ifndef HEDDLE_DEVICE_THREAD_TENSORMAP_H
#define HEDDLE_DEVICE_THREAD_TENSORMAP_H

#include "heddle_device/thread/memory.h"
#include "heddle_device/thread/tma.h"
#include "heddle_device/thread/types.h"

#include <stdint.h>

namespace hd {

/// Multiprocessors at most, and the blocks that each may hold at once, of all launches together.
constexpr uint32_t kProcessors = 160, kBlocksPerProcessor = 32, kMapPlaces = kProcessors * kBlocksPerProcessor;

/// Room for N maps of every block that runs. A `__device__` variable of the kernel's module: zeros at the beginning.
template <int N> struct MapPool {
  struct alignas(128) Place {
    TensorMap maps[N];
  };
  Place places[kMapPlaces];
  uint32_t taken[kMapPlaces];
  alignas(16) uint32_t zero[4];
};

/// What a map says of a tensor: innermost first; strides in bytes, without the innermost one.
template <int Rank> struct MapShape {
  int size[Rank];
  int64_t stride[Rank - 1];
};

#define HD_REPLACE(field, type, dim, value)                                                                            \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " dim "%1;" ::"r"(made), value       \
               : "memory")
// Until CUDA 12.4 ptxas took strides without their lowest four bits.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1205
constexpr int kStrideShift = 0;
#else
constexpr int kStrideShift = 4;
#endif

#define HD_REPLACE_BOX(d)                                                                                              \
  HD_REPLACE("box_dim", "b32", #d ", ", "r"(box[d]));                                                                  \
  HD_REPLACE("element_stride", "b32", #d ", ", "r"(1))
#define HD_REPLACE_SIZE(d) HD_REPLACE("global_dim", "b32", #d ", ", "r"(shape.size[d]))
#define HD_REPLACE_STRIDE(d) HD_REPLACE("global_stride", "b64", #d ", ", "l"(shape.stride[d] >> kStrideShift))

template <int D, int Rank> __device__ __forceinline__ void replaceBox(uint32_t made, const uint32_t (&box)[Rank]) {
  static_assert(D < 5, "expected at most five dimensions");
  if constexpr (D == 0) {
    HD_REPLACE_BOX(0);
  } else if constexpr (D == 1) {
    HD_REPLACE_BOX(1);
  } else if constexpr (D == 2) {
    HD_REPLACE_BOX(2);
  } else if constexpr (D == 3) {
    HD_REPLACE_BOX(3);
  } else {
    HD_REPLACE_BOX(4);
  }
  if constexpr (D + 1 < Rank)
    replaceBox<D + 1>(made, box);
}
template <int D, int Rank> __device__ __forceinline__ void replaceSizes(uint32_t made, const MapShape<Rank> &shape) {
  if constexpr (D == 0) {
    HD_REPLACE_SIZE(0);
  } else if constexpr (D == 1) {
    HD_REPLACE_SIZE(1);
    HD_REPLACE_STRIDE(0);
  } else if constexpr (D == 2) {
    HD_REPLACE_SIZE(2);
    HD_REPLACE_STRIDE(1);
  } else if constexpr (D == 3) {
    HD_REPLACE_SIZE(3);
    HD_REPLACE_STRIDE(2);
  } else {
    HD_REPLACE_SIZE(4);
    HD_REPLACE_STRIDE(3);
  }
  if constexpr (D + 1 < Rank)
    replaceSizes<D + 1>(made, shape);
}
#undef HD_REPLACE_BOX
#undef HD_REPLACE_SIZE
#undef HD_REPLACE_STRIDE

/// N maps of one thread, borrowed while this lives.
template <int N> class BorrowedMaps {
public:
  /// `borrows`: true in one thread, the one that makes the maps.
  __device__ __forceinline__ explicit BorrowedMaps(MapPool<N> &pool, bool borrows = true)
      : pool(pool), place(0), borrows(borrows) {
    if (!borrows)
      return;
    uint32_t processor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
    place = processor % kProcessors * kBlocksPerProcessor;
    taken = atomicExch(&pool.taken[place], 1u);
  }
  __device__ __forceinline__ ~BorrowedMaps() {
    if (!borrows || (!owns && taken))
      return;
    waitForUses();
    __threadfence();
    atomicExch(&pool.taken[place], 0u);
  }
  BorrowedMaps(const BorrowedMaps &) = delete;
  __device__ __forceinline__ const TensorMap *operator[](int i) const { return &pool.places[place].maps[i]; }

  /// Writes what map `i` keeps for as long as it is borrowed: boxes of `box` elements of `Bytes` bytes, zeros outside.
  /// `scratch`: 128 bytes of shared memory for each map and one more, of this thread's own.
  template <int Bytes, int Swizzle, int Rank>
  __device__ __forceinline__ void begin(int i, uint32_t scratch, const uint32_t (&box)[Rank]) const {
    if (!borrows)
      return;
    const uint32_t made = placeIn(scratch, i);
    for (int part = 0; part < 8; ++part)
      stShared(made + 16 * part, u32x4{{0, 0, 0, 0}});
    HD_REPLACE("rank", "b32", "", "r"(Rank - 1));
    HD_REPLACE("elemtype", "b32", "", "n"(Bytes == 8 ? 4 : Bytes == 4 ? 2 : Bytes - 1));
    HD_REPLACE("interleave_layout", "b32", "", "n"(0));
    HD_REPLACE("swizzle_mode", "b32", "", "n"(Swizzle == 128 ? 3 : Swizzle / 32));
    HD_REPLACE("fill_mode", "b32", "", "n"(0));
    replaceBox<0>(made, box);
  }

  /// Prepares map `i`, which was begun, of a tensor at `address`.
  template <int Rank>
  __device__ __forceinline__ void prepare(int i, uint32_t scratch, const void *address, MapShape<Rank> shape) const {
    const uint32_t made = placeIn(scratch, i);
    bool empty = false; // no map has a size of zero: one element, which is zero
    for (int d = 0; d < Rank; ++d)
      empty |= shape.size[d] <= 0;
    for (int d = 0; d < Rank; ++d)
      shape.size[d] = empty ? 1 : shape.size[d];
    const void *begin = empty ? pool.zero : address;
    HD_REPLACE("global_address", "b64", "", "l"(__cvta_generic_to_global(begin)));
    replaceSizes<0>(made, shape);
  }

  /// Gives maps to copies of this thread, as they were prepared; copies with the old ones may be under way.
  template <class... Maps> __device__ __forceinline__ void publish(uint32_t scratch, Maps... maps) {
    own();
    waitForUses();
    (write(scratch, maps), ...);
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    (acquire(maps), ...);
  }

private:
  /// Waits for the place that was asked for at the beginning, or finds another one. What the thread does until its
  /// first map is complete hides the round trip. The block that had the place has let all reads of it end before, and
  /// nothing of it is read here: that writes stand behind the branch suffices. A fence would cost what was hidden.
  __device__ __forceinline__ void own() {
    if (owns)
      return;
    for (; taken; taken = atomicExch(&pool.taken[place], 1u)) // another block of this multiprocessor has it
      place = place + 1 == kMapPlaces ? 0 : place + 1;
    owns = true;
  }
  __device__ __forceinline__ static uint32_t placeIn(uint32_t scratch, int i) {
    return ((scratch + 127) & ~127u) + 128 * i;
  }
  __device__ __forceinline__ void write(uint32_t scratch, int i) const {
    u32x4 parts[8];
    for (int part = 0; part < 8; ++part)
      parts[part] = ldShared<u32x4>(placeIn(scratch, i) + 16 * part);
    for (int part = 0; part < 8; ++part)
      reinterpret_cast<u32x4 *>(&pool.places[place].maps[i])[part] = parts[part];
  }
  __device__ __forceinline__ void acquire(int i) const {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(&pool.places[place].maps[i]) : "memory");
  }
  /// Of the maps, by copies that this thread has issued.
  __device__ __forceinline__ static void waitForUses() {
    tmaCommit();
    tmaWaitRead<0>();
  }

  MapPool<N> &pool;
  uint32_t place, taken = 0; // a place, and what stood there when it was asked for
  bool borrows, owns = false;
};

#undef HD_REPLACE

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_TENSORMAP_H
