//===- heddle_device/warp/vote.h - what holds in a lane of the warp (PTX ISA: vote.sync) ---------===//
#ifndef HEDDLE_DEVICE_WARP_VOTE_H
#define HEDDLE_DEVICE_WARP_VOTE_H

#include <stdint.h>

namespace hd {

// Full warp, converged.

/// x * factor. Where the factor is one in all lanes of the warp the product is not executed: on Hopper it would take a
/// cycle of the tensor core. Not `volatile`, so that products with one factor share one test.
__device__ __forceinline__ float timesUnlessOne(float x, float factor) {
  uint32_t needed;
  asm("{ .reg .pred p; setp.neu.f32 p, %1, 0f3F800000; vote.sync.any.pred p, p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
      : "=r"(needed)
      : "f"(factor));
  asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p mul.f32 %0, %0, %1; }" : "+f"(x) : "f"(factor), "r"(needed));
  return x;
}

} // namespace hd

#endif // HEDDLE_DEVICE_WARP_VOTE_H
