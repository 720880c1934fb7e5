//===- heddle_device/cluster/cluster.h - thread-block clusters (PTX ISA: barrier.cluster, mapa)
#ifndef HEDDLE_DEVICE_CLUSTER_CLUSTER_H
#define HEDDLE_DEVICE_CLUSTER_CLUSTER_H

#include "heddle_device/warp/elect.h"

#include <stdint.h>

namespace hd {

__device__ __forceinline__ uint32_t clusterRank() {
  uint32_t r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ __forceinline__ uint32_t clusterSize() {
  uint32_t r;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
  return r;
}

__device__ __forceinline__ void clusterArriveRelaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void clusterArrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void clusterWait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

/// All threads of the cluster's CTAs meet; the threads of a warp come together.
__device__ __forceinline__ void clusterSync() {
  warpSync();
  clusterArrive();
  clusterWait();
}

/// The shared::cluster address of this CTA's `addr` in the CTA of that rank.
__device__ __forceinline__ uint32_t mapToRank(uint32_t addr, uint32_t rank) {
  uint32_t r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
  return r;
}

// Arrivals in other CTAs, as by mbarrierArrive without `.sem` and `.scope`, which default to `.release.cta` (PTX ISA:
// mbarrier.arrive). With `.release.cluster` the compiler puts a fence of the whole GPU before each
// (MEMBAR.ALL.GPU), which took a third to two thirds of a product's speed on an H100. It would order writes of this
// thread for another CTA, and an arrival stands for none: it says that what a copy of another CTA will overwrite has
// been read. Products that read it have been waited for (PTX ISA: wgmma.wait_group), and ordinary reads have given
// their values.

/// Arrives on the barrier at this CTA's `bar`, in the CTA of that rank. Waiting is only local.
__device__ __forceinline__ void mbarrierArriveRemote(uint32_t bar, uint32_t rank) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(mapToRank(bar, rank)) : "memory");
}
__device__ __forceinline__ void mbarrierArriveRemoteIf(uint32_t bar, uint32_t rank, bool pred) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.b32 p, %1, 0;\n"
               "@p mbarrier.arrive.shared::cluster.b64 _, [%0];\n"
               "}\n" ::"r"(mapToRank(bar, rank)),
               "r"(static_cast<int>(pred))
               : "memory");
}
/// One arrival in each of the cluster's N CTAs: lane r of a warp arrives in the CTA of rank r.
template <int N> __device__ __forceinline__ void mbarrierArriveCluster(uint32_t bar, int lane) {
  mbarrierArriveRemoteIf(bar, lane % N, lane < N);
}
/// The same by one thread.
template <int N> __device__ __forceinline__ void mbarrierArriveCluster(uint32_t bar) {
#pragma unroll
  for (int rank = 0; rank < N; ++rank)
    mbarrierArriveRemote(bar, rank);
}

} // namespace hd

#endif // HEDDLE_DEVICE_CLUSTER_CLUSTER_H
