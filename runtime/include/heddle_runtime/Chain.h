//===- Chain.h - kernels that run one after another as one -----------------------------------===//
//
// What:   loads chain.json and the folders of its kernels, binds tensors, allocates workspaces,
// launches, times.
// Use:    auto chain = Chain::load(driver, "out/backward");  auto run = chain->bind(tensors,
// scalars);
//         run->launch();  driver.synchronize();
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_CHAIN_H
#define HEDDLE_RUNTIME_CHAIN_H

#include "heddle_runtime/Kernel.h"

namespace heddle::runtime {

/// A chain with its workspaces, which go with it, and the parameters of its kernels encoded; launch
/// as often as wanted. Runs that overlap would share the workspaces: one stream.
class BoundChain {
public:
  ~BoundChain();
  BoundChain(const BoundChain &) = delete;
  BoundChain &operator=(const BoundChain &) = delete;

  /// Enqueues one run on the default stream: workspaces that have to be are cleared, then every
  /// kernel.
  Status launch();
  /// Milliseconds of each of `repeats` runs, each right behind an untimed one.
  Result<std::vector<float>> time(int repeats);
  const ChainPlan &plan() const { return chainPlan; }

private:
  friend class Chain;
  explicit BoundChain(Driver &driver) : driver(driver) {}
  Driver &driver;
  ChainPlan chainPlan;
  std::vector<std::unique_ptr<BoundKernel>> launches;
};

class Chain {
public:
  /// `directory` holds chain.json and a folder with kernel.cubin and kernel.json for each kernel.
  static Result<Chain> load(Driver &driver, const std::string &directory);
  const ChainManifest &manifest() const { return man; }
  Result<std::unique_ptr<BoundChain>> bind(const std::map<std::string, Tensor> &tensors,
                                           const std::map<std::string, double> &scalars) const;

private:
  Chain() = default;
  Driver *driver = nullptr;
  ChainManifest man;
  std::map<std::string, Kernel> kernels;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CHAIN_H
