//===- heddle_device/thread/counter.h - programs handed out by a counter ----------------------===//
#ifndef HEDDLE_DEVICE_THREAD_COUNTER_H
#define HEDDLE_DEVICE_THREAD_COUNTER_H

#include <stdint.h>

namespace hd {

/// The next of `programs` programs that a block of a persistent kernel works on: numbers follow those that the blocks
/// begin with, 0 to gridDim.x - 1. A block calls it until the number is at least `programs`. So a launch makes
/// `programs` calls, and the last one puts `counter` back to 0, as the next launch needs it (PTX ISA: atom.inc).
__device__ __forceinline__ int nextProgram(uint32_t *counter, int programs) {
  uint32_t before;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter)), "r"(programs - 1)
               : "memory");
  return static_cast<int>(gridDim.x + before);
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_COUNTER_H
