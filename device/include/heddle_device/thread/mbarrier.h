//===- heddle_device/thread/mbarrier.h - shared-memory barriers with phases (PTX ISA: mbarrier)
#ifndef HEDDLE_DEVICE_THREAD_MBARRIER_H
#define HEDDLE_DEVICE_THREAD_MBARRIER_H

#include <stdint.h>

namespace hd {

/// `count` arrivals complete a phase. One thread initialises; then mbarrierFenceInit and a CTA (or
/// cluster) barrier. On a fresh barrier wait(1) passes at once and wait(0) blocks.
__device__ __forceinline__ void mbarrierInit(uint32_t bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}

/// Makes initialised barriers visible to the cluster and to TMA.
__device__ __forceinline__ void mbarrierFenceInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives once and raises the bytes that the phase expects. Precedes the TMA that brings them.
__device__ __forceinline__ void mbarrierExpectTx(uint32_t bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbarrierArrive(uint32_t bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

/// Arrives where `pred` holds, without a branch (a branch between wgmma groups may serialise them).
__device__ __forceinline__ void mbarrierArriveIf(uint32_t bar, bool pred) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.b32 p, %1, 0;\n"
               "@p mbarrier.arrive.shared::cta.b64 _, [%0];\n"
               "}\n" ::"r"(bar),
               "r"(static_cast<int>(pred))
               : "memory");
}

/// One bounded attempt: true when the phase with this parity has completed.
__device__ __forceinline__ bool mbarrierTryWait(uint32_t bar, uint32_t parity) {
  uint32_t done;
  asm volatile("{\n"
               ".reg .pred p;\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "selp.u32 %0, 1, 0, p;\n"
               "}\n"
               : "=r"(done)
               : "r"(bar), "r"(parity)
               : "memory");
  return done != 0;
}

/// Waits until the phase with this parity has completed. May lag by at most one phase.
__device__ __forceinline__ void mbarrierWait(uint32_t bar, uint32_t parity) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680;\n"
               "@p bra DONE;\n"
               "bra WAIT;\n"
               "DONE:\n"
               "}\n" ::"r"(bar),
               "r"(parity)
               : "memory");
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_MBARRIER_H
