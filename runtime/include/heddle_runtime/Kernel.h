//===- Kernel.h - a compiled kernel on the device --------------------------------------------===//
//
// What:   loads kernel.cubin beside kernel.json, binds tensors, launches, times.
// Use:    auto kernel = Kernel::load(driver, "out/gemm");  auto run = kernel->bind(tensors,
// scalars);
//         run->launch();  driver.synchronize();
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_KERNEL_H
#define HEDDLE_RUNTIME_KERNEL_H

#include "heddle_runtime/Driver.h"
#include "heddle_runtime/Manifest.h"

#include <functional>
#include <memory>

namespace heddle::runtime {

/// Milliseconds of each of `repeats` runs, each right behind an untimed one; `launch` enqueues one on the
/// default stream.
Result<std::vector<float>> timeRuns(Driver &driver, int repeats, const std::function<Status()> &launch);

/// A kernel with its parameters encoded; launch as often as wanted.
class BoundKernel {
public:
  /// Enqueues one run on the default stream. An empty grid launches nothing.
  Status launch();
  /// Milliseconds of each of `repeats` runs, each right behind an untimed one.
  Result<std::vector<float>> time(int repeats);
  const LaunchPlan &plan() const { return launchPlan; }

private:
  friend class Kernel;
  BoundKernel() = default;
  Driver *driver = nullptr;
  Handle function = nullptr;
  int block = 0;
  int smem = 0;
  LaunchPlan launchPlan;
  std::vector<std::unique_ptr<TensorMap>> maps;
  std::vector<void *> params; ///< point into `launchPlan.values` and `maps`
};

class Kernel {
public:
  /// `directory` holds kernel.cubin and kernel.json.
  static Result<Kernel> load(Driver &driver, const std::string &directory);
  const Manifest &manifest() const { return man; }
  Result<std::unique_ptr<BoundKernel>> bind(const std::map<std::string, Tensor> &tensors,
                                            const std::map<std::string, double> &scalars) const;

private:
  Kernel() = default;
  Driver *driver = nullptr;
  Handle function = nullptr;
  Manifest man;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_KERNEL_H
