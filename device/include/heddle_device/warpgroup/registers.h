//===- heddle_device/warpgroup/registers.h - register budgets (PTX ISA: setmaxnreg) -----------===//
#ifndef HEDDLE_DEVICE_WARPGROUP_REGISTERS_H
#define HEDDLE_DEVICE_WARPGROUP_REGISTERS_H

namespace hd {

// R: multiple of 8 in 24..256. All four warps execute it. Needs __launch_bounds__(threads, 1); the
// sum over warp groups must not exceed what the kernel was launched with.
template <int R> __device__ __forceinline__ void registersInc() {
  static_assert(R % 8 == 0 && R >= 24 && R <= 256, "expected a multiple of 8 in 24..256");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(R));
}
template <int R> __device__ __forceinline__ void registersDec() {
  static_assert(R % 8 == 0 && R >= 24 && R <= 256, "expected a multiple of 8 in 24..256");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(R));
}

} // namespace hd

#endif // HEDDLE_DEVICE_WARPGROUP_REGISTERS_H
