//===- Gpu.cpp - from CUDA text to a run on the GPU ------------------------===//
#include "Gpu.h"
#include "Options.h"

#include "heddle/Support/Resources.h"
#include "heddle_runtime/Chain.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace heddle {

Result<std::string> findNvcc(const std::string &need) {
  llvm::ErrorOr<std::string> nvcc = llvm::sys::findProgramByName("nvcc");
  if (!nvcc)
    return userError(need + ": expected nvcc on the path, got none");
  return *nvcc;
}

static bool includesHeadersOfProgram(const std::string &cuda) {
  const std::string include = "#include \"";
  for (size_t at = cuda.find(include); at != std::string::npos; at = cuda.find(include, at + 1))
    if (!llvm::StringRef(cuda).substr(at + include.size()).starts_with("heddle_device/"))
      return true;
  return false;
}

std::string headerDirectory(const std::string &cuda, const std::string &otherwise) {
  if (!includesHeadersOfProgram(cuda))
    return otherwise;
  llvm::SmallString<128> path(inputFile);
  (void)llvm::sys::fs::make_absolute(path);
  return llvm::sys::path::parent_path(path).str();
}

ErrorKind rejectionKind(const std::string &cuda) {
  return includesHeadersOfProgram(cuda) ? ErrorKind::User : ErrorKind::Internal;
}

/// nvcc on DIR/kernel.cu, into DIR/kernel.cubin. Its messages go through, or with `log` into that file. Internal error:
/// it rejects the text.
static Status runNvcc(const std::string &nvcc, const std::string &dir, const std::string &log = "") {
  Result<std::string> include = findResource("device/include");
  if (!include)
    return include.error();
  std::string source = dir + "/kernel.cu", cubin = dir + "/kernel.cubin";
  Result<std::string> text = readFile(source);
  std::string ofProgram = text ? headerDirectory(*text, dir) : dir;
  llvm::StringRef args[] = {nvcc,      "-std=c++17", "-O3",  "-gencode", "arch=compute_90a,code=sm_90a",
                            "-Xptxas", "-v",         "-I",   *include,   "-I",
                            ofProgram, "-cubin",     source, "-o",       cubin};
  std::optional<llvm::StringRef> quiet[] = {std::nullopt, llvm::StringRef(log), llvm::StringRef(log)};
  std::string message;
  if (llvm::sys::ExecuteAndWait(nvcc, args, std::nullopt,
                                log.empty() ? llvm::ArrayRef<std::optional<llvm::StringRef>>() : quiet, 0, 0,
                                &message) != 0) {
    return Error(text ? rejectionKind(*text) : ErrorKind::Internal,
                 "nvcc rejects " + source + (message.empty() ? "" : ": " + message));
  }
  return Status::success();
}

namespace {
/// A directory that is removed again.
struct TemporaryDirectory {
  TemporaryDirectory() : error(llvm::sys::fs::createUniqueDirectory("heddle", path)) {}
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory() {
    if (!error)
      llvm::sys::fs::remove_directories(path);
  }
  Status made() const {
    return error ? userError("cannot create a temporary directory: " + error.message()) : Status::success();
  }

  llvm::SmallString<128> path;
  std::error_code error;
};
} // namespace

Result<Cubin> compileCubin(const std::string &nvcc, const std::string &cuda) {
  TemporaryDirectory temporary;
  std::string dir = temporary.path.str().str();
  if (Status status = temporary.made(); !status)
    return status.error();
  if (Status status = writeFile(dir + "/kernel.cu", cuda); !status)
    return status.error();
  Status built = runNvcc(nvcc, dir, dir + "/nvcc.log");
  Result<std::string> log = readFile(dir + "/nvcc.log");
  if (!built) {
    llvm::errs() << (log ? *log : "");
    return built.error();
  }
  Result<std::string> bytes = readFile(dir + "/kernel.cubin");
  if (!log || !bytes)
    return log ? bytes.error() : log.error();
  return Cubin{*bytes, *log};
}

Result<runtime::Driver *> openGpu(const std::string &library) {
  Result<runtime::Driver *> driver = runtime::Driver::open(0, library);
  if (!driver)
    return userError("no usable GPU: " + driver.error().message());
  return driver;
}

std::string manifestElement(sim::ElementKind kind) {
  if (kind == sim::ElementKind::F8E4M3)
    return "e4m3";
  if (kind == sim::ElementKind::F8E5M2)
    return "e5m2";
  return sim::elementKindName(kind);
}

std::string describeTimes(const std::vector<float> &milliseconds) {
  if (milliseconds.empty())
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << ": median " << llvm::format("%.4f", milliseconds[milliseconds.size() / 2])
                                 << " ms, best " << llvm::format("%.4f", milliseconds.front()) << " ms of "
                                 << milliseconds.size() << " runs";
  return text;
}

namespace {
/// Copies of the tensors on the device, released at the end.
struct DeviceTensors {
  explicit DeviceTensors(runtime::Driver &driver) : driver(driver) {}
  DeviceTensors(const DeviceTensors &) = delete;
  ~DeviceTensors() {
    for (auto &[name, tensor] : tensors)
      driver.release(tensor.address);
  }
  Status upload(const std::string &name, const sim::HostTensor &host) {
    Result<runtime::DevicePtr> memory = driver.allocate(std::max<size_t>(16, host.bytes().size()));
    if (!memory)
      return memory.error();
    tensors[name] = {*memory, host.sizes().vec(), host.strides().vec(), manifestElement(host.kind())};
    return driver.copyToDevice(*memory, host.bytes().data(), host.bytes().size());
  }
  Status download(const std::string &name, sim::HostTensor &host) {
    return driver.copyToHost(host.bytes().data(), tensors[name].address, host.bytes().size());
  }

  runtime::Driver &driver;
  std::map<std::string, runtime::Tensor> tensors;
};
} // namespace

/// Writes and compiles the kernel into `dir`. A rejected kernel's messages go to the user.
static Status buildCubin(const std::string &nvcc, const std::string &dir, const std::string &cuda,
                         const std::string &manifest) {
  for (const Status &status : {writeFile(dir + "/kernel.cu", cuda), writeFile(dir + "/kernel.json", manifest)})
    if (!status)
      return status;
  Status built = runNvcc(nvcc, dir, dir + "/nvcc.log");
  if (Result<std::string> log = readFile(dir + "/nvcc.log"); !built && log)
    llvm::errs() << *log;
  return built;
}

/// One run of a loaded kernel or chain on copies of the tensors of `bindings`, then timed ones; `bound` gets what was
/// run.
template <typename Program, typename Bound>
static Result<std::vector<float>> runLoaded(runtime::Driver &driver, const Program &program, sim::Bindings &bindings,
                                            int repeats, std::unique_ptr<Bound> &bound) {
  DeviceTensors tensors(driver);
  std::map<std::string, double> scalars;
  for (unsigned i = 0; i < bindings.arguments.size(); ++i) {
    const sim::BoundArgument &argument = bindings.arguments[i];
    if (argument.tensor < 0)
      scalars[argument.name] =
          argument.scalar.isFloat() ? argument.scalar.floatAt(0) : static_cast<double>(argument.scalar.intAt(0));
    else if (Status status = tensors.upload(argument.name, *bindings.tensorOf(i)); !status)
      return status.error();
  }
  Result<std::unique_ptr<Bound>> made = program.bind(tensors.tensors, scalars);
  if (!made)
    return made.error();
  bound = std::move(*made);
  for (Status status : {bound->launch(), driver.synchronize()})
    if (!status)
      return status.error();
  for (unsigned i : bindings.outputs())
    if (Status status = tensors.download(bindings.arguments[i].name, *bindings.tensorOf(i)); !status)
      return status.error();

  std::vector<float> milliseconds;
  if (repeats > 0) {
    Result<std::vector<float>> times = bound->time(repeats);
    if (!times)
      return times.error();
    milliseconds = *times;
    std::sort(milliseconds.begin(), milliseconds.end());
  }
  return milliseconds;
}

Result<GpuRun> runOnGpu(runtime::Driver &driver, const std::string &nvcc, const std::string &cuda,
                        const std::string &manifest, sim::Bindings &bindings, int repeats) {
  TemporaryDirectory temporary;
  std::string dir = temporary.path.str().str();
  if (Status status = temporary.made(); !status)
    return status.error();
  if (Status status = buildCubin(nvcc, dir, cuda, manifest); !status)
    return status.error();
  Result<runtime::Kernel> kernel = runtime::Kernel::load(driver, dir);
  if (!kernel)
    return kernel.error();
  std::unique_ptr<runtime::BoundKernel> bound;
  Result<std::vector<float>> times = runLoaded(driver, *kernel, bindings, repeats, bound);
  if (!times)
    return times.error();
  return GpuRun{bound->plan().grid, *times};
}

Result<std::vector<float>> runChainOnGpu(runtime::Driver &driver, const std::string &nvcc, const std::string &manifest,
                                         const std::map<std::string, KernelTexts> &kernels, sim::Bindings &bindings,
                                         int repeats) {
  TemporaryDirectory temporary;
  std::string dir = temporary.path.str().str();
  if (Status status = temporary.made(); !status)
    return status.error();
  if (Status status = writeFile(dir + "/chain.json", manifest); !status)
    return status.error();
  for (auto &[name, texts] : kernels) {
    if (std::error_code error = llvm::sys::fs::create_directory(dir + "/" + name))
      return userError("cannot create a temporary directory: " + error.message());
    if (Status status = buildCubin(nvcc, dir + "/" + name, texts.cuda, texts.manifest); !status)
      return status.error();
  }
  Result<runtime::Chain> chain = runtime::Chain::load(driver, dir);
  if (!chain)
    return chain.error();
  std::unique_ptr<runtime::BoundChain> bound;
  return runLoaded(driver, *chain, bindings, repeats, bound);
}

} // namespace heddle
