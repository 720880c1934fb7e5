//===- heddle_device/thread/fence.h - proxy and scope fences (PTX ISA: membar, fence) ---------===//
#ifndef HEDDLE_DEVICE_THREAD_FENCE_H
#define HEDDLE_DEVICE_THREAD_FENCE_H

namespace hd {

/// Orders this thread's generic writes to shared memory before later asynchronous reads (wgmma, TMA
/// store). Every writer executes it, then the barrier.
__device__ __forceinline__ void fenceProxyAsync() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Same for global memory.
__device__ __forceinline__ void fenceProxyAsyncGlobal() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

__device__ __forceinline__ void fenceGpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ __forceinline__ void fenceSystem() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_FENCE_H
