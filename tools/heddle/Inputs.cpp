//===- Inputs.cpp - the tensors of `heddle run` and `heddle verify` --------===//
//
// What:   sizes, scalars and values of a kernel's arguments as the command line says, and the tensors after a run as
//         .npy files.
// Rules:  what --input does not name is normal random, zero or poisoned by its use (Bindings.h).
//
//===----------------------------------------------------------------------===//
#include "Inputs.h"
#include "Gpu.h"
#include "Options.h"

#include "heddle/Support/Files.h"
#include "heddle_runtime/TensorSource.h"
#include "llvm/ADT/ScopeExit.h"
#include <cstring>
#include <unistd.h>

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

cl::opt<std::string>
    dims("dims",
         cl::desc("sizes by name: M=256,N=256,K=192 (default: those of the files of --input, then the "
                  "kernel's tile.default_dims; compile: with the plan that heddle tune keeps for them)"),
         cl::sub(runCommand), cl::sub(verifyCommand), cl::sub(tuneCommand), cl::sub(compileCommand));
static cl::opt<std::string> scalars("scalars",
                                    cl::desc("scalars by name: scale=0.5 (default: the arguments' tile.default)"),
                                    cl::sub(runCommand), cl::sub(verifyCommand));
static cl::opt<uint64_t> inputSeed("seed", cl::desc("seed of the random inputs"), cl::init(1), cl::sub(runCommand),
                                   cl::sub(verifyCommand));
static cl::list<std::string>
    inputs("input",
           cl::desc("values of a view: a .npy file (its sizes count as --dims), zeros, ones, const(X), arange, "
                    "arange(START,STEP), uniform(LOW,HIGH), normal(MEAN,DEVIATION) or integers(LOW,HIGH); once a view "
                    "(default: normal)"),
           cl::value_desc("NAME=SOURCE"), cl::sub(runCommand), cl::sub(verifyCommand));
static cl::list<std::string> outputs("output",
                                     cl::desc("write a view after the run to this .npy file, also where the result is "
                                              "wrong (the exit code says so); once a view"),
                                     cl::value_desc("NAME=FILE"), cl::sub(runCommand));

/// "scale=0.5,beta=1" -> {scale: 0.5, beta: 1}; user errors name the bad part.
static Result<std::map<std::string, double>> parseScalars(llvm::StringRef text) {
  std::map<std::string, double> scalars;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    double number;
    if (name.empty() || value.getAsDouble(number))
      return userError("--scalars: expected NAME=NUMBER, got '" + part.str() + "'");
    scalars[name.trim().str()] = number;
  }
  return scalars;
}

/// NAME=TEXT of every use of an option, which names each view once.
static Result<std::map<std::string, std::string>> parseBindings(const std::string &option,
                                                                llvm::ArrayRef<std::string> texts) {
  std::map<std::string, std::string> table;
  for (const std::string &text : texts) {
    Result<std::pair<std::string, std::string>> binding = runtime::splitBinding(option, text);
    if (!binding)
      return binding.error();
    if (!table.insert(*binding).second)
      return userError(option + ": expected '" + binding->first + "' once, got it twice");
  }
  return table;
}

/// The argument of a view, or a user error.
static Result<unsigned> findView(const std::string &option, const std::string &name, const sim::Bindings &bound) {
  std::string known;
  for (auto [i, argument] : llvm::enumerate(bound.arguments)) {
    if (argument.tensor < 0)
      continue;
    if (argument.name == name)
      return static_cast<unsigned>(i);
    known += (known.empty() ? "'" : ", '") + argument.name + "'";
  }
  return userError(option + ": expected one of the views " + known + ", got '" + name + "'");
}

/// Calls copy(bytes of the tensor, position in a dense row-major one, bytes) for each row along the last dimension.
template <typename Copy> static void forEachRow(const sim::HostTensor &tensor, Copy copy) {
  int64_t width = sim::elementBytes(tensor.kind()), row = tensor.sizes().back();
  for (int64_t i = 0, n = tensor.numElements(); i < n; i += row)
    copy(tensor.positionOf(i) * width, i * width, row * width);
}

Result<sim::Bindings> bindInputs(FunctionOpInterface kernel) {
  Result<std::map<std::string, int64_t>> sizes = parseSizes("--dims", dims);
  if (!sizes)
    return sizes.error();
  Result<std::map<std::string, double>> numbers = parseScalars(scalars);
  if (!numbers)
    return numbers.error();
  Result<std::map<std::string, std::string>> given = parseBindings("--input", inputs),
                                             wanted = parseBindings("--output", outputs);
  if (!given)
    return given.error();
  if (!wanted)
    return wanted.error();
  sim::BindingRequest request;
  request.dims = *sizes;
  request.scalars = *numbers;
  request.seed = inputSeed;
  std::map<std::string, runtime::TensorSource> sources;
  for (auto &[name, text] : *given) {
    Result<runtime::TensorSource> source = runtime::TensorSource::parse(text);
    if (!source)
      return source.error();
    if (source->shape())
      request.shapes[name] = *source->shape();
    sources.insert({name, std::move(*source)});
  }
  limitSimulation(); // a kernel may ask for sizes that take minutes to fill
  llvm::scope_exit filled([] { ::alarm(0); });
  Result<sim::Bindings> bound = sim::bindKernel(kernel, request);
  if (!bound)
    return bound;
  for (auto &[name, path] : *wanted)
    if (Result<unsigned> view = findView("--output", name, *bound); !view)
      return view.error();
  for (auto &[name, source] : sources) {
    Result<unsigned> view = findView("--input", name, *bound);
    if (!view)
      return view.error();
    sim::HostTensor &tensor = *bound->tensorOf(*view);
    Result<runtime::HostTensor> values =
        source.make(manifestElement(tensor.kind()), tensor.sizes().vec(), request.seed * 1000003 + *view);
    if (!values)
      return values.error();
    forEachRow(tensor, [&](int64_t at, int64_t dense, int64_t bytes) {
      std::memcpy(tensor.bytes().data() + at, values->bytes.data() + dense, bytes);
    });
  }
  return bound;
}

std::optional<sim::Bindings> bindInputs(Input &input, int &code) {
  if (!input.conversion) {
    FunctionOpInterface program = input.lower;
    if (input.chain)
      program = input.chain;
    else if (input.kernel)
      program = input.kernel;
    Result<sim::Bindings> bound = bindInputs(program);
    if (bound)
      return std::move(*bound);
    code = fail(bound.error());
    return std::nullopt;
  }
  auto failed = [&](const Error &error) {
    code = fail(error);
    return std::nullopt;
  };
  if (!dims.empty())
    return failed(userError("--dims: expected a tile program, got a Triton kernel, whose sizes are --scalars"));
  TritonInputs request;
  request.seed = inputSeed;
  Result<std::map<std::string, double>> numbers = parseScalars(scalars);
  if (!numbers)
    return failed(numbers.error());
  request.scalars = *numbers;
  Result<std::map<std::string, std::string>> given = parseBindings("--input", inputs),
                                             wanted = parseBindings("--output", outputs);
  if (!given || !wanted)
    return failed(given ? wanted.error() : given.error());
  for (auto &[name, text] : *given) {
    Result<runtime::TensorSource> source = runtime::TensorSource::parse(text);
    if (!source)
      return failed(source.error());
    request.sources.insert({name, std::move(*source)});
  }
  std::optional<sim::Bindings> bound = bindTriton(input, request, code);
  for (auto &[name, path] : *wanted)
    if (Result<unsigned> view = bound ? findView("--output", name, *bound) : 0u; !view)
      return failed(view.error());
  return bound;
}

Status saveOutputs(const sim::Bindings &ran) {
  Result<std::map<std::string, std::string>> wanted = parseBindings("--output", outputs);
  std::vector<std::pair<std::string, std::string>> files;
  for (auto &[name, path] : *wanted) {
    const sim::HostTensor &tensor = *ran.tensorOf(*findView("--output", name, ran));
    runtime::HostTensor dense(manifestElement(tensor.kind()), tensor.sizes().vec());
    forEachRow(tensor, [&](int64_t at, int64_t to, int64_t bytes) {
      std::memcpy(dense.bytes.data() + to, tensor.bytes().data() + at, bytes);
    });
    files.push_back({path, runtime::npyText(runtime::toNpy(dense))});
  }
  if (Status status = writeFiles(files); !status)
    return status;
  for (auto &[path, text] : files)
    llvm::outs() << "wrote " << path << "\n";
  return Status::success();
}

} // namespace heddle
