//===- heddle_device/warp/elect.h - who am I, and which lane acts -----------------------------===//
#ifndef HEDDLE_DEVICE_WARP_ELECT_H
#define HEDDLE_DEVICE_WARP_ELECT_H

#include <stdint.h>

namespace hd {

__device__ __forceinline__ int threadIndex() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ int laneIndex() { return static_cast<int>(threadIdx.x) & 31; }

/// Uniform over the warp, and known to be by the compiler: derive roles from these two only.
__device__ __forceinline__ int warpIndex() { return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) >> 5, 0); }
__device__ __forceinline__ int warpgroupIndex() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) >> 7, 0);
}

/// The same numbers, read where they stand: the compiler keeps no registers for them, or for what follows from them,
/// from one place to the next. PTX ISA: %laneid, %tid.
__device__ __forceinline__ int laneAgain() {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ __forceinline__ int warpAgain() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread >> 5;
}

/// True in one lane of a converged warp. PTX ISA: elect.sync.
__device__ __forceinline__ bool electOne() {
  uint32_t elected;
  asm volatile("{\n"
               ".reg .pred p;\n"
               "elect.sync _|p, 0xffffffff;\n"
               "selp.u32 %0, 1, 0, p;\n"
               "}\n"
               : "=r"(elected));
  return elected != 0;
}

__device__ __forceinline__ void warpSync() { __syncwarp(); }

} // namespace hd

#endif // HEDDLE_DEVICE_WARP_ELECT_H
