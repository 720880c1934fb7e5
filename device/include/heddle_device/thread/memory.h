//===- heddle_device/thread/memory.h - shared and global loads and stores ---------------------===//
#ifndef HEDDLE_DEVICE_THREAD_MEMORY_H
#define HEDDLE_DEVICE_THREAD_MEMORY_H

#include "heddle_device/thread/types.h"
#include <stdint.h>

namespace hd {

/// Nobody keeps what is made of these bytes of shared memory, in each of `slots` slots that lie `apart` bytes from one
/// another: they need not be written. Does nothing; the emulator asks.
__device__ __forceinline__ void holdsAnything(uint32_t addr, uint32_t bytes, uint32_t slots, uint32_t apart) {}

/// T = uint8_t, uint16_t, uint32_t, float, double, int64_t, u32x2, f32x2, u32x4, f32x4; naturally aligned. PTX ISA: ld,
/// st.
template <class T> __device__ __forceinline__ T ldShared(uint32_t addr);
template <> __device__ __forceinline__ uint8_t ldShared<uint8_t>(uint32_t addr) {
  uint16_t r;
  asm volatile("ld.shared.u8 %0, [%1];" : "=h"(r) : "r"(addr) : "memory");
  return static_cast<uint8_t>(r);
}
template <> __device__ __forceinline__ uint16_t ldShared<uint16_t>(uint32_t addr) {
  uint16_t r;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(r) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ uint32_t ldShared<uint32_t>(uint32_t addr) {
  uint32_t r;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ float ldShared<float>(uint32_t addr) {
  float r;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(r) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ double ldShared<double>(uint32_t addr) {
  double r;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(r) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ int64_t ldShared<int64_t>(uint32_t addr) {
  int64_t r;
  asm volatile("ld.shared.s64 %0, [%1];" : "=l"(r) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ u32x2 ldShared<u32x2>(uint32_t addr) {
  u32x2 r;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(r.v[0]), "=r"(r.v[1]) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ f32x2 ldShared<f32x2>(uint32_t addr) {
  f32x2 r;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(r.v[0]), "=f"(r.v[1]) : "r"(addr) : "memory");
  return r;
}
template <> __device__ __forceinline__ u32x4 ldShared<u32x4>(uint32_t addr) {
  u32x4 r;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3])
               : "r"(addr)
               : "memory");
  return r;
}
template <> __device__ __forceinline__ f32x4 ldShared<f32x4>(uint32_t addr) {
  f32x4 r;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(r.v[0]), "=f"(r.v[1]), "=f"(r.v[2]), "=f"(r.v[3])
               : "r"(addr)
               : "memory");
  return r;
}

__device__ __forceinline__ void stShared(uint32_t addr, uint8_t x) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(addr), "h"(static_cast<uint16_t>(x)) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, uint16_t x) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(addr), "h"(x) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, uint32_t x) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(addr), "r"(x) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(addr), "f"(x) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, double x) {
  asm volatile("st.shared.f64 [%0], %1;" ::"r"(addr), "d"(x) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, int64_t x) {
  asm volatile("st.shared.s64 [%0], %1;" ::"r"(addr), "l"(x) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, u32x2 x) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(addr), "r"(x.v[0]), "r"(x.v[1]) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, f32x2 x) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(addr), "f"(x.v[0]), "f"(x.v[1]) : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, u32x4 x) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(addr), "r"(x.v[0]), "r"(x.v[1]), "r"(x.v[2]),
               "r"(x.v[3])
               : "memory");
}
__device__ __forceinline__ void stShared(uint32_t addr, f32x4 x) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(addr), "f"(x.v[0]), "f"(x.v[1]), "f"(x.v[2]),
               "f"(x.v[3])
               : "memory");
}

template <class T> __device__ __forceinline__ T ldGlobal(const void *p);
template <> __device__ __forceinline__ uint16_t ldGlobal<uint16_t>(const void *p) {
  uint16_t r;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(r) : "l"(__cvta_generic_to_global(p)) : "memory");
  return r;
}
template <> __device__ __forceinline__ uint32_t ldGlobal<uint32_t>(const void *p) {
  uint32_t r;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(__cvta_generic_to_global(p)) : "memory");
  return r;
}
template <> __device__ __forceinline__ float ldGlobal<float>(const void *p) {
  float r;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(r) : "l"(__cvta_generic_to_global(p)) : "memory");
  return r;
}
template <> __device__ __forceinline__ u32x2 ldGlobal<u32x2>(const void *p) {
  u32x2 r;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
               : "=r"(r.v[0]), "=r"(r.v[1])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}
template <> __device__ __forceinline__ f32x2 ldGlobal<f32x2>(const void *p) {
  f32x2 r;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];"
               : "=f"(r.v[0]), "=f"(r.v[1])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}
template <> __device__ __forceinline__ u32x4 ldGlobal<u32x4>(const void *p) {
  u32x4 r;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}
template <> __device__ __forceinline__ f32x4 ldGlobal<f32x4>(const void *p) {
  f32x4 r;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(r.v[0]), "=f"(r.v[1]), "=f"(r.v[2]), "=f"(r.v[3])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}

/// For data no one writes during the kernel; does not allocate in L1.
template <class T> __device__ __forceinline__ T ldGlobalReadOnly(const void *p);
template <> __device__ __forceinline__ uint16_t ldGlobalReadOnly<uint16_t>(const void *p) {
  uint16_t r;
  asm volatile("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(r) : "l"(__cvta_generic_to_global(p)) : "memory");
  return r;
}
template <> __device__ __forceinline__ uint32_t ldGlobalReadOnly<uint32_t>(const void *p) {
  uint32_t r;
  asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(r) : "l"(__cvta_generic_to_global(p)) : "memory");
  return r;
}
template <> __device__ __forceinline__ float ldGlobalReadOnly<float>(const void *p) {
  float r;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(r) : "l"(__cvta_generic_to_global(p)) : "memory");
  return r;
}
template <> __device__ __forceinline__ u32x2 ldGlobalReadOnly<u32x2>(const void *p) {
  u32x2 r;
  asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
               : "=r"(r.v[0]), "=r"(r.v[1])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}
template <> __device__ __forceinline__ f32x2 ldGlobalReadOnly<f32x2>(const void *p) {
  f32x2 r;
  asm volatile("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2];"
               : "=f"(r.v[0]), "=f"(r.v[1])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}
template <> __device__ __forceinline__ u32x4 ldGlobalReadOnly<u32x4>(const void *p) {
  u32x4 r;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}
template <> __device__ __forceinline__ f32x4 ldGlobalReadOnly<f32x4>(const void *p) {
  f32x4 r;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(r.v[0]), "=f"(r.v[1]), "=f"(r.v[2]), "=f"(r.v[3])
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return r;
}

__device__ __forceinline__ void stGlobal(void *p, uint16_t x) {
  asm volatile("st.global.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(x) : "memory");
}
__device__ __forceinline__ void stGlobal(void *p, uint32_t x) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}
__device__ __forceinline__ void stGlobal(void *p, float x) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "f"(x) : "memory");
}
__device__ __forceinline__ void stGlobal(void *p, u32x2 x) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), "r"(x.v[0]), "r"(x.v[1])
               : "memory");
}
__device__ __forceinline__ void stGlobal(void *p, f32x2 x) {
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), "f"(x.v[0]), "f"(x.v[1])
               : "memory");
}
__device__ __forceinline__ void stGlobal(void *p, u32x4 x) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(x.v[0]), "r"(x.v[1]),
               "r"(x.v[2]), "r"(x.v[3])
               : "memory");
}
__device__ __forceinline__ void stGlobal(void *p, f32x4 x) {
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "f"(x.v[0]), "f"(x.v[1]),
               "f"(x.v[2]), "f"(x.v[3])
               : "memory");
}

/// Relaxed atomic add without result. PTX ISA: red.
__device__ __forceinline__ void addGlobal(float *p, float x) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "f"(x) : "memory");
}

__device__ __forceinline__ void addGlobal(double *p, double x) {
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "d"(x) : "memory");
}
__device__ __forceinline__ void addGlobal(int *p, int x) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}
__device__ __forceinline__ void addGlobal(int64_t *p, int64_t x) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
}
/// The bits of 16-bit floats: T = f16, bf16.
template <class T> __device__ __forceinline__ void addGlobal(uint16_t *p, uint16_t x);
template <> __device__ __forceinline__ void addGlobal<f16>(uint16_t *p, uint16_t x) {
  asm volatile("red.relaxed.gpu.global.add.noftz.f16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(x) : "memory");
}
template <> __device__ __forceinline__ void addGlobal<bf16>(uint16_t *p, uint16_t x) {
  asm volatile("red.relaxed.gpu.global.add.noftz.bf16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(x) : "memory");
}

template <int Bytes> __device__ __forceinline__ bool isAligned(const void *p) {
  return reinterpret_cast<uintptr_t>(p) % Bytes == 0;
}
/// `*p` as a T, zero unless `inside`.
template <class T> __device__ __forceinline__ T loadGlobalIf(const void *p, bool inside) {
  T x = {};
  if (inside)
    x = *static_cast<const T *>(p);
  return x;
}
/// The same of data that nobody reads again: L2 gives its lines up first and keeps those of others (PTX ISA: ld.cs).
template <class T> __device__ __forceinline__ T streamGlobalIf(const void *p, bool inside) {
  static_assert(sizeof(T) <= 16);
  T x = {};
  if (!inside)
    return x;
  uint32_t w[4];
  const size_t from = __cvta_generic_to_global(p);
  if constexpr (sizeof(T) == 16)
    asm volatile("ld.global.cs.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                 : "l"(from));
  else if constexpr (sizeof(T) == 8)
    asm volatile("ld.global.cs.v2.b32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "l"(from));
  else if constexpr (sizeof(T) == 4)
    asm volatile("ld.global.cs.b32 %0, [%1];" : "=r"(w[0]) : "l"(from));
  else
    return *static_cast<const T *>(p);
  memcpy(&x, w, sizeof x); // declared by the compiler
  return x;
}
template <class T> __device__ __forceinline__ void storeGlobalIf(void *p, bool inside, T x) {
  if (inside)
    *static_cast<T *>(p) = x;
}

} // namespace hd

#endif // HEDDLE_DEVICE_THREAD_MEMORY_H
