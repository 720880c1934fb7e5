//===- heddle_device/cta/barrier.h - named barriers (PTX ISA: bar) ----------------------------===//
#ifndef HEDDLE_DEVICE_CTA_BARRIER_H
#define HEDDLE_DEVICE_CTA_BARRIER_H

namespace hd {

/// `threads` counts all that sync or arrive, a multiple of 32. id 0..15; 0 is ctaSync.
__device__ __forceinline__ void barrierSync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// The same where groups meet that come from texts of their own: `bar` promises that all who wait execute one
/// instruction (it is aligned), which synccheck asks for.
__device__ __forceinline__ void barrierMeet(int id, int threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void barrierArrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void ctaSync() { __syncthreads(); }

} // namespace hd

#endif // HEDDLE_DEVICE_CTA_BARRIER_H
