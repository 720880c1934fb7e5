//===- Kernel.cpp - a compiled kernel on the device ------------------------------------------===//
#include "heddle_runtime/Kernel.h"

namespace heddle::runtime {

Result<Kernel> Kernel::load(Driver &driver, const std::string &directory) {
  const std::string path = directory + "/kernel.json";
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  Result<Manifest> manifest = parseManifest(*text, path);
  if (!manifest)
    return manifest.error();
  const std::string imagePath = directory + "/kernel.cubin";
  Result<std::string> image = readFile(imagePath);
  if (!image)
    return image.error();
  if (Status status = checkImage(*manifest, *image, imagePath); !status)
    return status.error();
  Result<Handle> function = driver.loadKernel(*image, manifest->kernel, manifest->smem);
  if (!function)
    return function.error();
  Kernel kernel;
  kernel.driver = &driver;
  kernel.function = *function;
  kernel.man = std::move(*manifest);
  return kernel;
}

Result<std::unique_ptr<BoundKernel>> Kernel::bind(const std::map<std::string, Tensor> &tensors,
                                                  const std::map<std::string, double> &scalars) const {
  Result<int> multiprocessors = driver->multiprocessorsFor(function, man.block, man.smem, man.cluster);
  if (!multiprocessors)
    return multiprocessors.error();
  Result<DevicePtr> counter = usesCounter(man) ? driver->counter() : Result<DevicePtr>(DevicePtr(0));
  if (!counter)
    return counter.error();
  Result<LaunchPlan> plan = bindManifest(man, tensors, scalars, *multiprocessors, *counter);
  if (!plan)
    return plan.error();
  std::unique_ptr<BoundKernel> bound(new BoundKernel);
  bound->driver = driver;
  bound->function = function;
  bound->block = man.block;
  bound->smem = man.smem;
  bound->launchPlan = std::move(*plan);
  for (auto &value : bound->launchPlan.values) {
    if (auto *spec = std::get_if<TensorMapSpec>(&value)) {
      Result<TensorMap> map = driver->encode(*spec);
      if (!map)
        return map.error();
      bound->maps.push_back(std::make_unique<TensorMap>(*map));
      bound->params.push_back(bound->maps.back().get());
    } else {
      bound->params.push_back(std::visit([](auto &v) -> void * { return &v; }, value));
    }
  }
  return bound;
}

Status BoundKernel::launch() {
  if (launchPlan.empty())
    return Status::success();
  return driver->launch(function, launchPlan.grid, block, smem, params.data());
}

Result<std::vector<float>> BoundKernel::time(int repeats) {
  return timeRuns(*driver, repeats, [this] { return launch(); });
}

Result<std::vector<float>> timeRuns(Driver &driver, int repeats, const std::function<Status()> &launch) {
  if (Status status = launch(); !status)
    return status.error();
  Result<Handle> start = driver.createEvent(), stop = driver.createEvent();
  if (!start)
    return start.error();
  if (!stop)
    return stop.error();
  std::vector<float> times;
  for (int i = 0; i < repeats; ++i) {
    // The clock begins while a run before it is under way: the processor has launched the timed one by then.
    for (Status status : {launch(), driver.record(*start), launch(), driver.record(*stop)})
      if (!status)
        return status.error();
    Result<float> ms = driver.elapsed(*start, *stop);
    if (!ms)
      return ms.error();
    times.push_back(*ms);
  }
  return times;
}

} // namespace heddle::runtime
