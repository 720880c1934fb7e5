//===- Driver.cpp - the CUDA driver API, loaded at run time ----------------------------------===//
//
// What:   see Driver.h. Versioned symbols (_v2) are named where cuda.h maps the plain name to them.
//
//===------------------------------------------------------------------------------------------===//
#include "heddle_runtime/Driver.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <memory>

namespace heddle::runtime {
namespace {

constexpr int kErrorOutOfMemory = 2;
constexpr int kAttributeMultiprocessors = 16;     // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr int kFunctionMaxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

/// CUtensorMapDataType; 8-bit floats travel as UINT8.
int mapType(const std::string &elem) {
  static const std::map<std::string, int> types = {{"u8", 0},  {"i8", 0},  {"e4m3", 0}, {"e5m2", 0},
                                                   {"i16", 1}, {"i32", 3}, {"i64", 5},  {"f16", 6},
                                                   {"f32", 7}, {"f64", 8}, {"bf16", 9}, {"tf32", 11}};
  auto it = types.find(elem);
  return it == types.end() ? -1 : it->second;
}

/// Position of `value` among 0 and three doublings: the driver's enumerations of swizzle and L2
/// promotion.
int rankOf(int value, int first) {
  int rank = 0;
  for (int v = first; value >= v && rank < 3; v *= 2)
    ++rank;
  return value == 0 ? 0 : rank;
}

} // namespace

Status Driver::resolve(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return userError("expected the CUDA driver library " + library + ", got: " + dlerror());
  std::string missing;
  auto find = [&](auto &member, const char *symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(handle, symbol));
    if (!member && missing.empty())
      missing = symbol;
  };
  find(Init, "cuInit");
  find(DriverGetVersion, "cuDriverGetVersion");
  find(DeviceGetCount, "cuDeviceGetCount");
  find(DeviceGet, "cuDeviceGet");
  find(DeviceGetName, "cuDeviceGetName");
  find(DeviceGetAttribute, "cuDeviceGetAttribute");
  find(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(CtxSetCurrent, "cuCtxSetCurrent");
  find(CtxSynchronize, "cuCtxSynchronize");
  find(MemAlloc, "cuMemAlloc_v2");
  find(MemFree, "cuMemFree_v2");
  find(MemcpyHtoD, "cuMemcpyHtoD_v2");
  find(MemcpyDtoH, "cuMemcpyDtoH_v2");
  find(MemsetD8, "cuMemsetD8_v2");
  find(ModuleLoadData, "cuModuleLoadData");
  find(ModuleGetFunction, "cuModuleGetFunction");
  find(FuncSetAttribute, "cuFuncSetAttribute");
  find(LaunchKernel, "cuLaunchKernel");
  find(OccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters");
  find(EventCreate, "cuEventCreate");
  find(EventRecord, "cuEventRecord");
  find(EventSynchronize, "cuEventSynchronize");
  find(EventElapsedTime, "cuEventElapsedTime");
  find(GetErrorString, "cuGetErrorString");
  find(TensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  if (!missing.empty())
    return userError("expected a CUDA driver of version 12 or later in " + library + ", got one without " + missing);
  return Status::success();
}

Status Driver::check(int code, const char *call) {
  if (code == 0)
    return Status::success();
  const char *text = nullptr;
  GetErrorString(code, &text);
  std::string message = std::string(call) + ": " + (text ? text : "unknown error") + " (" + std::to_string(code) + ")";
  return Error(code == kErrorOutOfMemory ? ErrorKind::Limit : ErrorKind::Internal, message);
}

Result<Driver *> Driver::open(int ordinal, const std::string &library) {
  static std::unique_ptr<Driver> instance;
  static int opened = -1;
  if (instance && opened == ordinal)
    return instance.get();
  std::unique_ptr<Driver> driver(new Driver);
  if (Status status = driver->resolve(library); !status)
    return status.error();
  if (driver->Init(0) != 0)
    return userError("expected a CUDA device, got none that the driver can initialise");
  int count = 0, device = 0;
  if (Status status = driver->check(driver->DeviceGetCount(&count), "cuDeviceGetCount"); !status)
    return status.error();
  if (ordinal < 0 || ordinal >= count)
    return userError("expected a device below " + std::to_string(count) + ", got " + std::to_string(ordinal));
  char name[256] = {};
  Handle context = nullptr;
  Driver &d = *driver;
  for (Status status :
       {d.check(d.DriverGetVersion(&d.version), "cuDriverGetVersion"),
        d.check(d.DeviceGet(&device, ordinal), "cuDeviceGet"),
        d.check(d.DeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName"),
        d.check(d.DeviceGetAttribute(&d.sms, kAttributeMultiprocessors, device), "cuDeviceGetAttribute"),
        d.check(d.DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"),
        d.check(d.CtxSetCurrent(context), "cuCtxSetCurrent")})
    if (!status)
      return status.error();
  driver->name = name;
  instance = std::move(driver);
  opened = ordinal;
  return instance.get();
}

Result<DevicePtr> Driver::allocate(size_t bytes) {
  DevicePtr ptr = 0;
  if (Status status = check(MemAlloc(&ptr, bytes), "cuMemAlloc"); !status)
    return status.error();
  return ptr;
}

void Driver::release(DevicePtr ptr) { MemFree(ptr); }

Status Driver::copyToDevice(DevicePtr dst, const void *src, size_t bytes) {
  return check(MemcpyHtoD(dst, src, bytes), "cuMemcpyHtoD");
}

Status Driver::copyToHost(void *dst, DevicePtr src, size_t bytes) {
  return check(MemcpyDtoH(dst, src, bytes), "cuMemcpyDtoH");
}

Status Driver::fill(DevicePtr dst, unsigned char value, size_t bytes) {
  return check(MemsetD8(dst, value, bytes), "cuMemsetD8");
}

Status Driver::synchronize() { return check(CtxSynchronize(), "cuCtxSynchronize"); }

Result<Handle> Driver::loadKernel(const std::string &image, const std::string &kernel, int smem) {
  Handle module = nullptr, function = nullptr;
  if (Status status = check(ModuleLoadData(&module, image.data()), "cuModuleLoadData"); !status)
    return status.error();
  if (ModuleGetFunction(&function, module, kernel.c_str()) != 0)
    return userError("expected a kernel named '" + kernel + "' in the cubin, got none");
  if (Status status = check(FuncSetAttribute(function, kFunctionMaxDynamicSharedBytes, smem), "cuFuncSetAttribute");
      !status)
    return userError("expected shared memory that the device has, got " + std::to_string(smem) + " bytes");
  return function;
}

Result<int> Driver::multiprocessorsFor(Handle function, int block, int smem, const std::array<int64_t, 3> &cluster) {
  const int64_t blocks = cluster[0] * cluster[1] * cluster[2];
  if (blocks == 1)
    return sms;
  auto size = [&](int axis) { return static_cast<unsigned>(cluster[axis]); };
  const LaunchConfig config = {{size(0), size(1), size(2)},
                               {static_cast<unsigned>(block), 1, 1},
                               static_cast<unsigned>(smem),
                               nullptr,
                               nullptr,
                               0};
  int clusters = 0;
  if (Status status = check(OccupancyMaxActiveClusters(&clusters, function, &config), "cuOccupancyMaxActiveClusters");
      !status)
    return status.error();
  if (clusters < 1)
    return userError("expected a device that can run a cluster of " + std::to_string(blocks) + " blocks with " +
                     std::to_string(smem) + " bytes of shared memory each, got none");
  return std::min<int>(clusters * static_cast<int>(blocks), sms);
}

Status Driver::launch(Handle function, const std::array<int64_t, 3> &grid, int block, int smem, void **params) {
  return check(LaunchKernel(function, static_cast<unsigned>(grid[0]), static_cast<unsigned>(grid[1]),
                            static_cast<unsigned>(grid[2]), block, 1, 1, smem, nullptr, params, nullptr),
               "cuLaunchKernel");
}

/// A map of a tensor without elements, which the driver does not take, as one of a single zero: loads of such a tensor
/// give zeros. Where a kernel stores to it, the zero is lost; what it loads of an empty tensor after that is undefined.
Result<DevicePtr> Driver::counter() {
  if (!counterMemory) {
    Result<DevicePtr> memory = allocate(sizeof(uint32_t));
    if (!memory)
      return memory;
    if (Status status = fill(*memory, 0, sizeof(uint32_t)); !status)
      return status.error();
    counterMemory = *memory;
  }
  return counterMemory;
}

Result<TensorMapSpec> Driver::withoutEmptyDims(const TensorMapSpec &spec) {
  TensorMapSpec one = spec;
  if (std::find(spec.dims.begin(), spec.dims.end(), 0) == spec.dims.end())
    return one;
  constexpr size_t bytes = 16;
  if (!emptyTensor) {
    Result<DevicePtr> memory = allocate(bytes);
    if (!memory)
      return memory.error();
    emptyTensor = *memory;
  }
  if (Status status = fill(emptyTensor, 0, bytes); !status)
    return status.error();
  one.address = emptyTensor;
  std::fill(one.dims.begin(), one.dims.end(), 1);
  std::fill(one.strides.begin(), one.strides.end(), bytes);
  return one;
}

Result<TensorMap> Driver::encode(const TensorMapSpec &given) {
  Result<TensorMapSpec> full = withoutEmptyDims(given);
  if (!full)
    return full.error();
  const TensorMapSpec &spec = *full;
  TensorMap map = {};
  const uint32_t ones[5] = {1, 1, 1, 1, 1};
  const uint64_t none = 0;
  if (Status status =
          check(TensorMapEncodeTiled(&map, mapType(spec.elem), static_cast<uint32_t>(spec.dims.size()),
                                     reinterpret_cast<void *>(spec.address), spec.dims.data(),
                                     spec.strides.empty() ? &none : spec.strides.data(), spec.box.data(), ones,
                                     /*interleave=*/0, rankOf(spec.swizzle, 32), rankOf(spec.l2, 64), spec.nanFill),
                "cuTensorMapEncodeTiled");
      !status)
    return status.error();
  return map;
}

Result<Handle> Driver::createEvent() {
  Handle event = nullptr;
  if (Status status = check(EventCreate(&event, 0), "cuEventCreate"); !status)
    return status.error();
  return event;
}

Status Driver::record(Handle event) { return check(EventRecord(event, nullptr), "cuEventRecord"); }

Result<float> Driver::elapsed(Handle start, Handle stop) {
  float ms = 0;
  if (Status status = check(EventSynchronize(stop), "cuEventSynchronize"); !status)
    return status.error();
  if (Status status = check(EventElapsedTime(&ms, start, stop), "cuEventElapsedTime"); !status)
    return status.error();
  return ms;
}

} // namespace heddle::runtime
