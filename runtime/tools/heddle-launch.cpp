//===- heddle-launch.cpp - run one compiled kernel without Python ----------------------------===//
//
// What:  loads DIR/kernel.cubin and DIR/kernel.json, or DIR/chain.json and its kernels; fills the
// inputs, poisons the outputs, launches, times.
//        Made for compute-sanitizer (bench/gpu/sanitize.sh) and for a first sign of life.
// Exit:  0 ran and every output element was written, 1 wrong use or bad input, 2 NaN left in an
// output,
//        3 the driver or the kernel failed, 4 out of memory.
//
//===------------------------------------------------------------------------------------------===//
#include "heddle/Support/Files.h"
#include "heddle/Support/Version.h"
#include "heddle_runtime/Chain.h"
#include "heddle_runtime/TensorSource.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace heddle;
using namespace heddle::runtime;

namespace {

const char *kUsage =
    "usage: heddle-launch DIR --view NAME=SIZES... [options]\n"
    "  --view A=4096x64      sizes of a view (all views of the manifest are needed)\n"
    "  --input A=a.npy       its values from a NumPy file (then --view is not needed), or by a rule: "
    "zeros, ones,\n"
    "                        const(3), arange, uniform(-1,1), normal, integers(0,10); default: normal\n"
    "  --output C=c.npy      write a view after the run\n"
    "  --scalar alpha=0.5    a scalar\n"
    "  --repeat N            time N runs (default 0: one run, untimed)\n"
    "  --seed N              of the random inputs (default 1)\n"
    "  --device N            ordinal (default 0)\n"
    "  --library PATH        CUDA driver (default libcuda.so.1)\n";

struct Options {
  std::string directory;
  std::map<std::string, std::string> views, inputs, outputs, scalars;
  std::string library = "libcuda.so.1";
  int repeat = 0, device = 0;
  uint64_t seed = 1;
};

Result<Options> parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.rfind("--", 0) != 0) {
      if (!options.directory.empty())
        return userError("expected one directory, got '" + arg + "' as well");
      options.directory = arg;
      continue;
    }
    if (i + 1 == argc)
      return userError("expected a value after " + arg);
    const std::string value = argv[++i];
    int64_t number = 0;
    if (arg == "--repeat" || arg == "--seed" || arg == "--device") {
      char *end = nullptr;
      number = std::strtoll(value.c_str(), &end, 10);
      if (value.empty() || *end || number < 0)
        return userError("expected a number after " + arg + ", got '" + value + "'");
      if (arg != "--seed" && number > 1000000)
        return userError("expected at most 1000000 after " + arg + ", got '" + value + "'");
    }
    auto *table = arg == "--view"     ? &options.views
                  : arg == "--input"  ? &options.inputs
                  : arg == "--output" ? &options.outputs
                  : arg == "--scalar" ? &options.scalars
                                      : nullptr;
    if (table) {
      Result<std::pair<std::string, std::string>> binding = splitBinding(arg, value);
      if (!binding)
        return binding.error();
      if (!table->insert(*binding).second)
        return userError(arg + ": expected '" + binding->first + "' once, got it twice");
    } else if (arg == "--repeat") {
      options.repeat = static_cast<int>(number);
    } else if (arg == "--seed") {
      options.seed = static_cast<uint64_t>(number);
    } else if (arg == "--device") {
      options.device = static_cast<int>(number);
    } else if (arg == "--library") {
      options.library = value;
    } else {
      return userError("unknown option '" + arg + "'");
    }
  }
  if (options.directory.empty())
    return userError("expected a directory with kernel.cubin and kernel.json, or with chain.json");
  return options;
}

/// The host tensor of a view: as --input says, normal values, or poisoned for an output.
Result<HostTensor> makeTensor(const ViewDecl &view, const Options &options, uint64_t seed) {
  std::optional<TensorSource> source;
  if (auto it = options.inputs.find(view.name); it != options.inputs.end()) {
    Result<TensorSource> parsed = TensorSource::parse(it->second);
    if (!parsed)
      return parsed.error();
    source = *parsed;
  }
  std::vector<int64_t> shape;
  if (source && source->shape()) {
    shape = *source->shape();
  } else {
    auto it = options.views.find(view.name);
    if (it == options.views.end())
      return userError("expected --view " + view.name + "=SIZES");
    Result<std::vector<int64_t>> sizes = parseShape(it->second);
    if (!sizes)
      return sizes.error();
    shape = *sizes;
  }
  if (source)
    return source->make(view.elem, shape, seed);
  HostTensor tensor(view.elem, shape);
  if (view.access != Access::Out)
    tensor.fillNormal(seed);
  return tensor;
}

/// User error: a name that is no view.
Status checkNames(const std::string &option, const std::map<std::string, std::string> &table,
                  const std::vector<ViewDecl> &views) {
  for (const auto &[name, value] : table)
    if (std::none_of(views.begin(), views.end(), [&](auto &view) { return view.name == name; }))
      return userError(option + ": expected a view of the manifest, got '" + name + "'");
  return Status::success();
}

const std::string &nameOf(const Manifest &manifest) { return manifest.kernel; }
const std::string &nameOf(const ChainManifest &manifest) { return manifest.chain; }
std::string describe(const LaunchPlan &plan) {
  return "grid " + std::to_string(plan.grid[0]) + " " + std::to_string(plan.grid[1]) + " " +
         std::to_string(plan.grid[2]);
}
std::string describe(const ChainPlan &plan) { return std::to_string(plan.launches.size()) + " launches"; }

/// Runs a Kernel or a Chain; returns the number of unwritten output elements.
template <typename Program> Result<int64_t> run(const Options &options, Driver *const *driver, const Program &program) {
  const auto &manifest = program.manifest();
  for (const Status &status :
       {checkNames("--view", options.views, manifest.views), checkNames("--input", options.inputs, manifest.views),
        checkNames("--output", options.outputs, manifest.views)})
    if (!status)
      return status.error();
  std::map<std::string, HostTensor> host;
  std::map<std::string, Tensor> device;
  std::map<std::string, double> scalars;
  for (const auto &[name, text] : options.scalars) {
    char *end = nullptr;
    scalars[name] = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      return userError("scalar '" + name + "': expected a number, got '" + text + "'");
  }
  uint64_t seed = options.seed;
  for (const ViewDecl &view : manifest.views) {
    Result<HostTensor> tensor = makeTensor(view, options, seed++);
    if (!tensor)
      return tensor.error();
    Result<DevicePtr> memory = (*driver)->allocate(std::max<size_t>(16, tensor->bytes.size()));
    if (!memory)
      return memory.error();
    if (Status status = (*driver)->copyToDevice(*memory, tensor->bytes.data(), tensor->bytes.size()); !status)
      return status.error();
    device[view.name] = {*memory, tensor->shape, tensor->strides(), view.elem};
    host[view.name] = std::move(*tensor);
  }
  auto bound = program.bind(device, scalars);
  if (!bound)
    return bound.error();
  if (Status status = (*bound)->launch(); !status)
    return status.error();
  if (Status status = (*driver)->synchronize(); !status)
    return status.error();
  int64_t unwritten = 0;
  std::vector<std::pair<std::string, std::string>> files;
  for (const ViewDecl &view : manifest.views) {
    HostTensor &tensor = host[view.name];
    if (Status status = (*driver)->copyToHost(tensor.bytes.data(), device[view.name].address, tensor.bytes.size());
        !status)
      return status.error();
    if (view.access != Access::In)
      unwritten += tensor.countNaN();
    if (auto it = options.outputs.find(view.name); it != options.outputs.end())
      files.push_back({it->second, npyText(toNpy(tensor))});
  }
  if (Status status = writeFiles(files); !status)
    return status.error();
  std::printf("%s on %s: %s, %lld output elements unwritten\n", nameOf(manifest).c_str(),
              (*driver)->deviceName().c_str(), describe((*bound)->plan()).c_str(), (long long)unwritten);
  if (options.repeat > 0) {
    Result<std::vector<float>> times = (*bound)->time(options.repeat);
    if (!times)
      return times.error();
    std::sort(times->begin(), times->end());
    std::printf("median %.4f ms, best %.4f ms of %d runs\n", (*times)[times->size() / 2], times->front(),
                options.repeat);
  }
  return unwritten;
}

Result<int64_t> run(const Options &options) {
  Result<Driver *> driver = Driver::open(options.device, options.library);
  if (!driver)
    return driver.error();
  std::error_code error;
  if (std::filesystem::exists(options.directory + "/chain.json", error)) {
    Result<Chain> chain = Chain::load(**driver, options.directory);
    return chain ? run(options, &*driver, *chain) : Result<int64_t>(chain.error());
  }
  Result<Kernel> kernel = Kernel::load(**driver, options.directory);
  return kernel ? run(options, &*driver, *kernel) : Result<int64_t>(kernel.error());
}

int exitCode(const Error &error) {
  return error.kind() == ErrorKind::User ? 1 : error.kind() == ErrorKind::Limit ? 4 : 3;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--version")
    return std::fputs(versionText("heddle-launch").c_str(), stdout), 0;
  if (argc == 2 && std::string(argv[1]) == "--help")
    return std::fputs(kUsage, stdout), 0;
  Result<Options> options = parseOptions(argc, argv);
  if (!options) {
    std::fprintf(stderr, "%s\n%s", options.error().str().c_str(), kUsage);
    return 1;
  }
  Result<int64_t> unwritten = run(*options);
  if (!unwritten) {
    std::fprintf(stderr, "%s\n", unwritten.error().str().c_str());
    return exitCode(unwritten.error());
  }
  if (Status written = flushOutput(); !written) {
    std::fprintf(stderr, "%s\n", written.error().str().c_str());
    return 1;
  }
  return *unwritten ? 2 : 0;
}
