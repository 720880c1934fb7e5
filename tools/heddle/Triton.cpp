//===- Triton.cpp - Triton's kernels as input ------------------------------===//
//
// What:  a file with a tt.func -> the tile program that every subcommand goes on with. `heddle run` executes the kernel
//        itself as well: pointers, masks and float64, so that a wrong conversion is a wrong result.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"
#include "Inputs.h"
#include "Options.h"

#include "heddle/Simulator/Triton/CheckAccesses.h"
#include "heddle/Simulator/Triton/CheckSteps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::list<int64_t> grid("grid", cl::desc("programs of a Triton kernel along x, y, z: --grid=4,2"),
                              cl::CommaSeparated, cl::sub(runCommand), cl::sub(verifyCommand));

static cl::list<std::string>
    oneTensor("one-tensor",
              cl::desc("arguments of a Triton kernel that are one tensor at the launch (one that it changes in place): "
                       "--one-tensor=OUT=IN takes IN for both"),
              cl::value_desc("NAME=NAME,..."), cl::CommaSeparated, cl::sub(compileCommand), cl::sub(runCommand),
              cl::sub(scheduleCommand), cl::sub(explainCommand), cl::sub(verifyCommand));

/// Lets the second argument of each pair of --one-tensor stand for the first.
static Status mergeArguments(triton::FuncOp kernel) {
  for (StringRef pair : oneTensor) {
    auto [name, standIn] = pair.split('=');
    Status merged = name.empty() || standIn.empty() ? userError("expected NAME=NAME, got '" + pair.str() + "'")
                                                    : triton::mergeArguments(kernel, name, standIn);
    if (!merged)
      return userError("--one-tensor: " + merged.error().message());
  }
  return Status::success();
}

bool convertTriton(Input &input, int &code) {
  SmallVector<triton::FuncOp> kernels;
  for (auto function : input.module->getOps<triton::FuncOp>())
    if (function.getSymVisibility().value_or("public") == "public")
      kernels.push_back(function);
  if (kernels.empty() && grid.getNumOccurrences())
    code = fail("--grid: expected a Triton kernel with it, got '" + inputFile + "'");
  if (kernels.empty() && oneTensor.getNumOccurrences())
    code = fail("--one-tensor: expected a Triton kernel with it, got '" + inputFile + "'");
  if (kernels.empty())
    return !code;
  if (kernels.size() > 1) {
    code = fail("expected one public tt.func in '" + inputFile + "', got " + std::to_string(kernels.size()));
    return false;
  }
  if (Status merged = mergeArguments(kernels[0]); !merged) {
    code = fail(merged.error());
    return false;
  }
  input.conversion = std::make_shared<triton::Conversion>();
  input.source = std::move(input.module);
  bool done = succeeded(triton::analyse(kernels[0], *input.conversion));
  if (done && explainCommand)
    llvm::outs() << triton::explainAccesses(*input.conversion);
  if (!done || failed(triton::convert(*input.conversion))) {
    code = diagnosed(input);
    return false;
  }
  input.module = input.conversion->module.get().clone();
  return true;
}

/// Whether `argument` is a size, or a stride but the last, of a descriptor before it: accesses need it, operations do
/// not name it.
static bool isOfDescriptor(BlockArgument argument) {
  for (BlockArgument other : argument.getOwner()->getArguments().take_front(argument.getArgNumber()))
    if (auto descriptor = dyn_cast<triton::TensorDescType>(other.getType()); descriptor && !other.use_empty())
      if (argument.getArgNumber() - other.getArgNumber() < 2 * descriptor.getShape().size())
        return true;
  return false;
}

/// The values of a Triton kernel's scalar arguments, by name; all that it has no other use for are zero.
static Status readScalars(triton::FuncOp source, const std::map<std::string, double> &given, sim::TritonRun &run) {
  std::string names;
  std::map<std::string, unsigned> known;
  for (BlockArgument argument : source.getBody().front().getArguments()) {
    Type type = argument.getType();
    if (!type.isIntOrIndexOrFloat())
      continue;
    std::string name = triton::argumentName(argument);
    known[name] = argument.getArgNumber();
    names += (names.empty() ? "'" : ", '") + name + "'";
    if (!given.count(name) && (!argument.use_empty() || isOfDescriptor(argument)))
      return userError("expected a value for scalar '" + name + "', got none");
  }
  for (const auto &[name, value] : given) {
    auto it = known.find(name);
    if (it == known.end())
      return userError((names.empty() ? "expected no scalars" : "expected one of the scalars " + names) + ", got '" +
                       name + "'");
    Type type = source.getBody().getArgument(it->second).getType();
    if (!isa<FloatType>(type) && (value != static_cast<double>(static_cast<int64_t>(value)) || value > 0x1p31))
      return userError("expected scalar '" + name + "' to be an integer of 32 bits, got " + std::to_string(value));
    run.scalars[it->second] = value;
  }
  return Status::success();
}

constexpr int maxReachRounds = 8;

/// Gives the elements of `argument` by `source`, of `shape`.
static Status fill(const std::string &name, const runtime::TensorSource &source, unsigned argument,
                   sim::ElementKind kind, const std::vector<int64_t> &shape, sim::TritonRun &run) {
  Result<runtime::HostTensor> values = source.make(manifestElement(kind), shape, run.seed * 1000003 + argument);
  if (!values)
    return values.error();
  int64_t count = static_cast<int64_t>(values->bytes.size()) / sim::elementBytes(kind);
  sim::HostTensor tensor(name, kind, {count});
  llvm::copy(values->bytes, tensor.bytes().begin());
  run.given.insert_or_assign(argument, std::move(tensor));
  return Status::success();
}

/// Runs the addresses of the kernel on what is given so far, and gives all rules again.
static Status fillReached(const std::map<std::string, runtime::TensorSource> &sources,
                          const std::map<std::string, unsigned> &known, sim::TritonRun &run) {
  run.addressesOnly = true;
  bool ran = succeeded(sim::runTriton(run));
  run.addressesOnly = false;
  if (!ran)
    return userError("--input: the kernel's addresses cannot be computed");
  for (const auto &[name, source] : sources) {
    unsigned argument = known.at(name);
    auto memory = run.memory.find(argument);
    if (memory == run.memory.end())
      continue;
    sim::ElementKind kind = memory->second.kind();
    std::vector<int64_t> shape = source.shape() ? *source.shape() : std::vector<int64_t>{run.reach[argument]};
    if (Status status = fill(name, source, argument, kind, shape, run); !status)
      return status;
  }
  return Status::success();
}

/// What --input gives. A rule fills as much as the kernel reaches, which a run of its addresses tells; where that
/// depends on what other rules give, another run tells more.
static Status readTensors(const std::map<std::string, runtime::TensorSource> &sources, sim::TritonRun &run) {
  if (sources.empty())
    return Status::success();
  std::map<std::string, unsigned> known;
  std::string names;
  for (BlockArgument argument : run.function.getBody().front().getArguments())
    if (isa<triton::PointerType, triton::TensorDescType>(argument.getType())) {
      std::string name = triton::argumentName(argument);
      known[name] = argument.getArgNumber();
      names += (names.empty() ? "'" : ", '") + name + "'";
    }
  for (const auto &source : sources)
    if (!known.count(source.first))
      return userError("--input: expected one of the arguments " + names + ", got '" + source.first + "'");
  // What has a size of its own is there from the beginning: addresses may follow from one and masks from another.
  for (const auto &[name, source] : sources) {
    unsigned argument = known.at(name);
    auto pointer = dyn_cast<triton::PointerType>(run.function.getArgumentTypes()[argument]);
    // Truth values are bytes in memory, and read as such.
    Type element = pointer ? pointer.getPointeeType() : Type();
    if (element && element.isInteger(1))
      element = IntegerType::get(element.getContext(), 8);
    std::optional<sim::ElementKind> kind = element ? sim::elementKindOf(element) : std::nullopt;
    if (source.shape() && kind)
      if (Status status = fill(name, source, argument, *kind, *source.shape(), run); !status)
        return status;
  }
  auto before = run.reach;
  for (int round = 0; round == 0 || (round < maxReachRounds && run.reach != before); ++round) {
    before = run.reach;
    if (Status status = fillReached(sources, known, run); !status)
      return status;
  }
  for (const auto &source : sources)
    if (!run.given.count(known.at(source.first)))
      return userError("--input: the kernel does not reach what '" + source.first + "' points to");
  return Status::success();
}

std::optional<sim::Bindings> bindTriton(Input &input, const TritonInputs &given, int &code) {
  const triton::Conversion &conversion = *input.conversion;
  sim::TritonRun run;
  run.function = conversion.source;
  run.seed = given.seed;
  if (grid.size() > 3 || grid.size() < conversion.gridRank || llvm::any_of(grid, [](int64_t n) { return n < 1; })) {
    std::string numbers = conversion.gridRank < 3 ? std::to_string(conversion.gridRank) + " to 3" : "3";
    code =
        fail("--grid: expected " + numbers + " numbers of programs of at least 1, got " + std::to_string(grid.size()));
    return std::nullopt;
  }
  llvm::copy(grid, run.grid.begin());
  limitSimulation();
  Status status = readScalars(run.function, given.scalars, run);
  if (status)
    status = readTensors(given.sources, run);
  if (!status) {
    code = fail(status.error());
    return std::nullopt;
  }
  sim::AccessCheck check(conversion, run);
  check.watch();
  if (failed(during("running the Triton kernel", [&] { return sim::runTriton(run); }))) {
    code = diagnosed(input);
    return std::nullopt;
  }
  FailureOr<std::string> different =
      during("running the Triton kernel as written", [&] { return sim::compareWithWritten(*input.conversion, run); });
  if (failed(different)) {
    code = diagnosed(input);
    return std::nullopt;
  }
  if (!different->empty()) {
    code = fail("wrong result: the kernel as written differs from what the conversion rewrote it to: " + *different,
                ExitWrong);
    return std::nullopt;
  }
  Result<sim::Bindings> bound = check.bind();
  if (!bound) {
    code = fail(bound.error());
    return std::nullopt;
  }
  FailureOr<sim::Meaning> meaning =
      during("the converted kernel's meaning", [&] { return sim::meaningOf(input.kernel, *bound); });
  if (failed(meaning)) {
    code = diagnosed(input);
    return std::nullopt;
  }
  if (std::string wrong = check.compare(meaning->exact); !wrong.empty()) {
    code = fail("wrong result: the converted kernel differs from the Triton kernel in float64: " + wrong, ExitWrong);
    return std::nullopt;
  }
  llvm::outs() << "conversion: " << check.compared() << " addresses and masks and all results in float64 are equal\n";
  return std::move(*bound);
}

} // namespace heddle
