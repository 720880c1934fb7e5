//===- heddle_device/thread/pin.h - registers that are computed by here ------------------------===//
#ifndef HEDDLE_DEVICE_THREAD_PIN_H
#define HEDDLE_DEVICE_THREAD_PIN_H

#include <stdint.h>

namespace hd {

/// Pins every register of an array at this point of the program. No instruction.
template <int R> __device__ __forceinline__ void fenceOperand(float (&x)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i)
    asm volatile("" : "+f"(x[i])::"memory");
}
template <int R> __device__ __forceinline__ void fenceOperand(uint32_t (&x)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i)
    asm volatile("" : "+r"(x[i])::"memory");
}
template <int R> __device__ __forceinline__ void fenceOperand(int (&x)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i)
    asm volatile("" : "+r"(x[i])::"memory");
}

/// The same for `Count` registers from `first` on, which the compiler has to know.
template <int Count, int R> __device__ __forceinline__ void fenceOperand(float (&x)[R], int first) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+f"(x[first + i])::"memory");
}
template <int Count, class T, int R> __device__ __forceinline__ void fenceOperand(T (&x)[R], int first) {
  static_assert(sizeof(T) == 4, "expected registers of 32 bits");
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+r"(x[first + i])::"memory");
}

/// Ends a block of instructions: ptxas moves no arithmetic over it. A branch that is never taken, since no `address` in
/// shared memory has all bits set.
__device__ __forceinline__ void endBlock(uint32_t address) {
  if (address == 0xffffffffu)
    asm volatile("pmevent 0;" ::: "memory");
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_PIN_H
