//===- Chain.cpp - kernels that run one after another as one ---------------------------------===//
#include "heddle_runtime/Chain.h"

namespace heddle::runtime {

Result<Chain> Chain::load(Driver &driver, const std::string &directory) {
  const std::string path = directory + "/chain.json";
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  Result<ChainManifest> manifest = parseChainManifest(*text, path);
  if (!manifest)
    return manifest.error();
  Chain chain;
  chain.driver = &driver;
  for (const LaunchDecl &launch : manifest->launches) {
    if (chain.kernels.count(launch.kernel))
      continue;
    Result<Kernel> kernel = Kernel::load(driver, directory + "/" + launch.kernel);
    if (!kernel)
      return kernel.error();
    chain.kernels.insert({launch.kernel, std::move(*kernel)});
  }
  chain.man = std::move(*manifest);
  return chain;
}

Result<std::unique_ptr<BoundChain>> Chain::bind(const std::map<std::string, Tensor> &tensors,
                                                const std::map<std::string, double> &scalars) const {
  Result<ChainPlan> plan = bindChain(man, tensors, scalars);
  if (!plan)
    return plan.error();
  std::unique_ptr<BoundChain> bound(new BoundChain(*driver));
  bound->chainPlan = std::move(*plan);
  std::map<std::string, Tensor> all = tensors;
  for (ChainPlan::Workspace &workspace : bound->chainPlan.workspaces) {
    Result<DevicePtr> memory = driver->allocate(workspace.bytes);
    if (!memory)
      return memory.error();
    workspace.tensor.address = *memory;
    all[workspace.name] = workspace.tensor;
  }
  for (const ChainPlan::Launch &launch : bound->chainPlan.launches) {
    std::map<std::string, Tensor> own;
    for (const auto &[name, view] : launch.views)
      own[name] = all.at(view);
    Result<std::unique_ptr<BoundKernel>> kernel = kernels.at(launch.kernel).bind(own, launch.scalars);
    if (!kernel)
      return Error(kernel.error().kind(), "kernel '" + launch.kernel + "': " + kernel.error().message());
    bound->launches.push_back(std::move(*kernel));
  }
  return bound;
}

BoundChain::~BoundChain() {
  for (const ChainPlan::Workspace &workspace : chainPlan.workspaces)
    if (workspace.tensor.address)
      driver.release(workspace.tensor.address);
}

Status BoundChain::launch() {
  for (const ChainPlan::Workspace &workspace : chainPlan.workspaces)
    if (workspace.zeroed)
      if (Status status = driver.fill(workspace.tensor.address, 0, workspace.bytes); !status)
        return status;
  for (const std::unique_ptr<BoundKernel> &kernel : launches)
    if (Status status = kernel->launch(); !status)
      return status;
  return Status::success();
}

Result<std::vector<float>> BoundChain::time(int repeats) {
  return timeRuns(driver, repeats, [this] { return launch(); });
}

} // namespace heddle::runtime
