//===- heddle-emulate.cpp - one emulated run of a kernel ------------------------------------------===//
//
// What:  loads DIR/kernel.so (DIR/kernel.cu built by the host's C++ compiler), binds the tensors and scalars of
//        DIR/binding.json by DIR/kernel.json, as a launch on the GPU does, runs the grid and writes the written tensors
//        to FILE.out. Prints the number of CTAs and the trace of the run (Emulator.h). `heddle run --device=emulate`
//        calls it: a damaged kernel must not take its caller with it.
// Exit:  0 ran, 1 bad input, 3 time limit reached, 4 a fault in the kernel; the reason goes to stderr.
//
//===--------------------------------------------------------------------------------------------===//
#include "heddle_emulation/Emulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

namespace {

/// A tensor of binding.json in emulated memory.
struct BoundTensor {
  std::string name, file;
  Tensor tensor;
  size_t bytes = 0;
  bool written = false;
};

struct Binding {
  std::vector<BoundTensor> tensors;
  std::map<std::string, Tensor> byName;
  std::map<std::string, double> scalars;
};

Result<Binding> loadBinding(const std::string &directory) {
  Result<std::string> text = readFile(directory + "/binding.json");
  if (!text)
    return text.error();
  nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return userError("expected JSON", SourceLoc{directory + "/binding.json", 0, 0});
  Binding binding;
  for (const auto &entry : json["tensors"]) {
    BoundTensor bound;
    bound.name = entry["name"];
    bound.file = directory + "/" + entry["file"].get<std::string>();
    bound.written = entry["written"];
    Result<std::string> data = readFile(bound.file);
    if (!data)
      return data.error();
    bound.bytes = data->size();
    char *memory = emulation::allocateGlobal(bound.name, bound.bytes, bound.written);
    std::memcpy(memory, data->data(), bound.bytes);
    bound.tensor = {reinterpret_cast<uint64_t>(memory), entry["sizes"], entry["strides"], entry["elem"]};
    binding.byName[bound.name] = bound.tensor;
    binding.tensors.push_back(std::move(bound));
  }
  for (const auto &[name, value] : json["scalars"].items())
    binding.scalars[name] =
        value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
  return binding;
}

struct Kernel {
  void (*call)(void *const *) = nullptr;
  const int *parameterBytes = nullptr;
};

Result<Kernel> loadKernel(const std::string &directory) {
  void *library = dlopen((directory + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return userError(std::string("cannot load the kernel: ") + dlerror());
  auto bytes = reinterpret_cast<const int *(*)()>(dlsym(library, "heddleEmulatedParameterBytes"));
  Kernel kernel;
  kernel.call = reinterpret_cast<void (*)(void *const *)>(dlsym(library, "heddleEmulatedKernel"));
  if (!bytes || !kernel.call)
    return userError("expected a kernel built for emulation in " + directory + "/kernel.so, got another library");
  kernel.parameterBytes = bytes();
  return kernel;
}

/// The values of the plan as the kernel's parameters. `maps` holds what they point to.
Result<std::vector<void *>> parametersOf(LaunchPlan &plan, const Kernel &kernel,
                                         std::vector<std::unique_ptr<emulation::TensorMap>> &maps,
                                         std::vector<std::unique_ptr<emulation::EncodedMap>> &encodings) {
  std::vector<void *> parameters;
  for (size_t i = 0; i < plan.values.size(); ++i) {
    int bytes = 0;
    if (auto *spec = std::get_if<TensorMapSpec>(&plan.values[i])) {
      maps.push_back(std::make_unique<emulation::TensorMap>(emulation::encode(*spec)));
      encodings.push_back(std::make_unique<emulation::EncodedMap>(emulation::encoded(*maps.back())));
      parameters.push_back(encodings.back().get());
      bytes = sizeof(emulation::EncodedMap);
    } else {
      parameters.push_back(std::visit(
          [&](auto &v) -> void * {
            bytes = sizeof v;
            return &v;
          },
          plan.values[i]));
    }
    if (kernel.parameterBytes[i] != bytes)
      return Error(ErrorKind::Internal, "parameter " + std::to_string(i) + ": the manifest gives " +
                                            std::to_string(bytes) + " bytes, the kernel takes " +
                                            std::to_string(kernel.parameterBytes[i]));
  }
  if (kernel.parameterBytes[plan.values.size()] != 0)
    return Error(ErrorKind::Internal,
                 "the kernel takes more parameters than the manifest's " + std::to_string(plan.values.size()));
  return parameters;
}

Status run(const std::string &directory, unsigned order) {
  Result<std::string> text = readFile(directory + "/kernel.json");
  if (!text)
    return text.error();
  Result<Manifest> manifest = parseManifest(*text, directory + "/kernel.json");
  if (!manifest)
    return manifest.error();
  Result<Kernel> kernel = loadKernel(directory);
  if (!kernel)
    return kernel.error();
  Result<Binding> binding = loadBinding(directory);
  if (!binding)
    return binding.error();
  constexpr int multiprocessors = 2; // few, so that a grid of one CTA for each takes several turns
  auto *counter = usesCounter(*manifest)
                      ? reinterpret_cast<uint32_t *>(emulation::allocateGlobal("programs", sizeof(uint32_t), true))
                      : nullptr;
  if (counter)
    *counter = 0;
  Result<LaunchPlan> plan =
      bindManifest(*manifest, binding->byName, binding->scalars, multiprocessors, reinterpret_cast<uint64_t>(counter));
  if (!plan)
    return plan.error();
  std::vector<std::unique_ptr<emulation::TensorMap>> maps;
  std::vector<std::unique_ptr<emulation::EncodedMap>> encodings;
  Result<std::vector<void *>> parameters = std::vector<void *>();
  if (!plan->empty())
    parameters = parametersOf(*plan, *kernel, maps, encodings);
  if (!parameters)
    return parameters.error();
  Result<std::string> cuda = readFile(directory + "/kernel.cu");
  if (!cuda)
    return cuda.error();
  uint64_t trace = 0;
  if (!plan->empty())
    trace = emulation::launch({plan->grid, manifest->block, manifest->smem, order, emulation::declaredRings(*cuda),
                               static_cast<int>(manifest->cluster[0]), emulation::declaredBlocks(*cuda)},
                              [&] { kernel->call(parameters->data()); });
  if (counter && *counter)
    return Error(ErrorKind::Internal,
                 "expected the counter of programs to be 0 at the end of the launch, got " + std::to_string(*counter));
  for (const BoundTensor &bound : binding->tensors)
    if (bound.written)
      if (Status status = writeFile(bound.file + ".out",
                                    std::string(reinterpret_cast<const char *>(bound.tensor.address), bound.bytes));
          !status)
        return status;
  std::printf("%lld CTAs, trace %016llx\n", static_cast<long long>(plan->grid[0] * plan->grid[1] * plan->grid[2]),
              static_cast<unsigned long long>(trace));
  return Status::success();
}

} // namespace

int main(int argc, char **argv) {
  bool help = argc == 2 && (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h"));
  if (help || argc != 4) {
    std::fprintf(help ? stdout : stderr, "usage: heddle-emulate DIR ORDER SECONDS\n"
                                         "  DIR      with kernel.cu, kernel.so, kernel.json, binding.json\n"
                                         "  ORDER    which interleaving: 0, 1, ...\n"
                                         "  SECONDS  time limit\n");
    return help ? 0 : 1;
  }
  alarm(static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
  Status status = run(argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  if (status)
    return 0;
  std::fprintf(stderr, "%s\n", status.error().str().c_str());
  return status.error().kind() == ErrorKind::User ? 1 : 4;
}
