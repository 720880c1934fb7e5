//===- heddle_device/cluster/cluster.h - thread-block clusters (PTX ISA: barrier.cluster, mapa)
#ifndef HEDDLE_DEVICE_CLUSTER_CLUSTER_H
#define HEDDLE_DEVICE_CLUSTER_CLUSTER_H

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

/// The shared::cluster address of this CTA's `addr` in the CTA of that rank.
__device__ __forceinline__ uint32_t mapToRank(uint32_t addr, uint32_t rank) {
  uint32_t r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
  return r;
}

/// Arrives on the barrier at this CTA's `bar`, in the CTA of that rank. Waiting is only local.
__device__ __forceinline__ void mbarrierArriveRemote(uint32_t bar, uint32_t rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapToRank(bar, rank)) : "memory");
}
__device__ __forceinline__ void mbarrierArriveRemoteIf(uint32_t bar, uint32_t rank, bool pred) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.b32 p, %1, 0;\n"
               "@p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];\n"
               "}\n" ::"r"(mapToRank(bar, rank)),
               "r"(static_cast<int>(pred))
               : "memory");
}

} // namespace hd

#endif // HEDDLE_DEVICE_CLUSTER_CLUSTER_H
