//===- Driver.h - the CUDA driver API, loaded at run time ------------------------------------===//
//
// What:   a table of the driver functions in use, resolved from libcuda.so.1 by dlopen, so that the
// library
//         builds and links anywhere; and the calls on it with errors as values.
// Errors: no driver or no device: user; out of memory: limit; anything else the driver refuses:
// internal. Own declarations stand in for cuda.h: the ABI of these functions is stable.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_DRIVER_H
#define HEDDLE_RUNTIME_DRIVER_H

#include "heddle/Support/Error.h"
#include "heddle_runtime/Manifest.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::runtime {

using DevicePtr = unsigned long long;
using Handle = void *; // context, module, function, stream, event

/// Same layout as CUtensorMap.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// Same layout as CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  Handle stream;
  void *attributes;
  unsigned attributeCount;
};

/// The driver, a device and its primary context, current on the thread that opened it. One per
/// process.
class Driver {
public:
  /// Loads `library` (default libcuda.so.1), initialises it and takes device `ordinal`.
  static Result<Driver *> open(int ordinal = 0, const std::string &library = "libcuda.so.1");

  const std::string &deviceName() const { return name; }

  Result<DevicePtr> allocate(size_t bytes);
  void release(DevicePtr ptr);
  Status copyToDevice(DevicePtr dst, const void *src, size_t bytes);
  Status copyToHost(void *dst, DevicePtr src, size_t bytes);
  Status fill(DevicePtr dst, unsigned char value, size_t bytes);
  Status synchronize();
  /// Where kernels of this driver's one stream count programs: four bytes that are zero between launches.
  Result<DevicePtr> counter();

  /// Loads a cubin and finds its kernel, with `smem` bytes of dynamic shared memory allowed.
  Result<Handle> loadKernel(const std::string &image, const std::string &kernel, int smem);
  /// Multiprocessors that `function` can occupy at once: those of the device or, of a kernel with clusters, as many as
  /// its clusters fill, whose blocks lie in one part of the device. An error where not even one cluster fits.
  Result<int> multiprocessorsFor(Handle function, int block, int smem, const std::array<int64_t, 3> &cluster);
  Status launch(Handle function, const std::array<int64_t, 3> &grid, int block, int smem, void **params);
  Result<TensorMap> encode(const TensorMapSpec &spec);

  Result<Handle> createEvent();
  Status record(Handle event);
  /// Milliseconds between two recorded events; waits for the second.
  Result<float> elapsed(Handle start, Handle stop);

private:
  Driver() = default;
  Status resolve(const std::string &library);
  Status check(int code, const char *call);
  Result<TensorMapSpec> withoutEmptyDims(const TensorMapSpec &spec);

  // One member a driver function; names without the cu prefix.
  int (*Init)(unsigned) = nullptr;
  int (*DriverGetVersion)(int *) = nullptr;
  int (*DeviceGetCount)(int *) = nullptr;
  int (*DeviceGet)(int *, int) = nullptr;
  int (*DeviceGetName)(char *, int, int) = nullptr;
  int (*DeviceGetAttribute)(int *, int, int) = nullptr;
  int (*DevicePrimaryCtxRetain)(Handle *, int) = nullptr;
  int (*CtxSetCurrent)(Handle) = nullptr;
  int (*CtxSynchronize)() = nullptr;
  int (*MemAlloc)(DevicePtr *, size_t) = nullptr;
  int (*MemFree)(DevicePtr) = nullptr;
  int (*MemcpyHtoD)(DevicePtr, const void *, size_t) = nullptr;
  int (*MemcpyDtoH)(void *, DevicePtr, size_t) = nullptr;
  int (*MemsetD8)(DevicePtr, unsigned char, size_t) = nullptr;
  int (*ModuleLoadData)(Handle *, const void *) = nullptr;
  int (*ModuleGetFunction)(Handle *, Handle, const char *) = nullptr;
  int (*FuncSetAttribute)(Handle, int, int) = nullptr;
  int (*LaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **,
                      void **) = nullptr;
  int (*OccupancyMaxActiveClusters)(int *, Handle, const LaunchConfig *) = nullptr;
  int (*EventCreate)(Handle *, unsigned) = nullptr;
  int (*EventRecord)(Handle, Handle) = nullptr;
  int (*EventSynchronize)(Handle) = nullptr;
  int (*EventElapsedTime)(float *, Handle, Handle) = nullptr;
  int (*GetErrorString)(int, const char **) = nullptr;
  int (*TensorMapEncodeTiled)(TensorMap *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                              const uint32_t *, int, int, int, int) = nullptr;

  DevicePtr emptyTensor = 0; ///< what maps of tensors without elements stand on
  DevicePtr counterMemory = 0;
  std::string name;
  int sms = 0;
  int version = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVER_H
