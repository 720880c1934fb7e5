//===- Programs.cpp - the program that a subcommand works on ---------------===//
//
// What:  a file of any level, parsed; Triton kernels and mapped tasks converted; its one kernel or chain picked, and a
//        contraction split where --split-k or the plan says so. Failures set an exit code.
//
//===----------------------------------------------------------------------===//
#include "Chains.h"
#include "Options.h"

#include "heddle/Dialect/Task/Program.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Dialect/Triton/Triton.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace heddle {

/// Brackets nest no deeper than this: every level of MLIR and of the compiler recurses into them.
constexpr int maxNesting = 100;

/// Where brackets outside of strings and comments nest too deep; null: nowhere.
static const char *tooDeep(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (llvm::StringRef("([{<").contains(text[i])) {
      if (++depth > maxNesting)
        return text.data() + i;
    } else if (llvm::StringRef(")]}").contains(text[i]) || (text[i] == '>' && (i == 0 || text[i - 1] != '-'))) {
      depth -= depth > 0;
    }
  }
  return nullptr;
}

std::unique_ptr<Input> parseText(int &code, const std::string &file) {
  auto input = std::make_unique<Input>();
  if (Status options = readOptions(); !options) {
    code = fail(options.error());
    return nullptr;
  }
  if (llvm::StringRef(file).ends_with(".sched")) {
    code = fail("expected a program, got the scheduling problem '" + file + "' (heddle schedule and explain read it)");
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) {
    code = fail("cannot read '" + file + "': " + buffer.getError().message());
    return nullptr;
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  input->sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  if (const char *at = tooDeep(text)) {
    input->sources.PrintMessage(llvm::errs(), llvm::SMLoc::getFromPointer(at), llvm::SourceMgr::DK_Error,
                                "expected brackets nested at most " + llvm::Twine(maxNesting) + " deep, got more");
    code = ExitUser;
    return nullptr;
  }
  DialectRegistry registry;
  registerHeddleDialects(registry);
  triton::registerTritonDialects(registry);
  registry.insert<task::TaskDialect>();
  input->context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  input->context->printOpOnDiagnostic(false);
  Input *in = input.get();
  input->printer = std::make_unique<SourceMgrDiagnosticHandler>(input->sources, input->context.get(), llvm::errs());
  input->context->getDiagEngine().registerHandler([in](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error)
      in->worst = std::max(in->worst, exitCodeOf(errorKindOf(diag)));
    return failure(); // the printing handler goes on
  });
  input->module = tile::parseWithNames(input->sources, input->context.get());
  if (!input->module) {
    code = ExitUser;
    return nullptr;
  }
  return input;
}

std::unique_ptr<Input> parseInput(int &code, const std::string &file) {
  std::unique_ptr<Input> input = parseText(code, file);
  return input && convertTriton(*input, code) && convertTaskProgram(*input, code) ? std::move(input) : nullptr;
}

/// Picks the chain of the file, or that of `--kernel`. False: there is none, or an exit code was set in `code`.
static bool pickChain(Input &input, int &code) {
  SmallVector<tile::ChainOp> chains;
  for (auto chain : input.module->getOps<tile::ChainOp>())
    if (kernelName.empty() || chain.getSymName() == kernelName)
      chains.push_back(chain);
  if (chains.size() > 1)
    code = fail("expected one tile.chain in '" + inputFile + "' (or --kernel), got " + llvm::Twine(chains.size()));
  if (code)
    return false;
  tile::ChainOp chain = chains.empty() ? tile::ChainOp() : chains[0];
  if (Status options = readChainOptions(chain); !options)
    code = fail(options.error());
  input.chain = chain;
  return chain && !code;
}

bool pickKernel(Input &input, int &code) {
  if (lacksMapping(input, code))
    return false;
  if (pickChain(input, code) || code)
    return !code;
  SmallVector<tile::KernelOp> kernels(input.module->getOps<tile::KernelOp>());
  for (tile::KernelOp kernel : kernels)
    if (kernelName.empty() ? kernels.size() == 1 : kernel.getSymName() == kernelName)
      input.kernel = kernel;
  if (!input.kernel)
    code = fail(kernelName.empty() ? "expected one tile.kernel in '" + inputFile + "' (or --kernel), got " +
                                         std::to_string(kernels.size())
                                   : "no tile.kernel '" + kernelName + "' in '" + inputFile + "'");
  return static_cast<bool>(input.kernel);
}

/// Divides the contraction of the kernel of `input` over programs, where --split-k or the plan says so: a chain takes
/// its place. False: an exit code was set in `code`.
static bool splitKernel(Input &input, int &code) {
  if (!input.kernel)
    return true;
  CompileOptions options = chosenOptions();
  FailureOr<Plan> plan = Plan::read(input.kernel, options.planText, options.planFile);
  if (failed(plan))
    return code = diagnosed(input), false;
  auto [splits, sums] = chosenSplit();
  if (const PlanValue *planned = plan->ofKernel("split_k")) {
    int64_t own = planNumbers(planned->value).front();
    if (splits && splits != own) {
      emitError(planned->loc) << "plan: expected split_k = " << splits << " as asked for, got " << own;
      return code = diagnosed(input), false;
    }
    splits = own;
  }
  if (splits < 2 && sums)
    code = fail("--split-sums: expected a contraction in parts (--split-k, or split_k of the plan), got one part");
  if (splits < 2)
    return !code;
  ParameterValues values = options.parameters;
  if (const PlanValue *planned = plan->ofKernel("parameters"))
    for (NamedAttribute value : cast<DictionaryAttr>(planned->value))
      values.try_emplace(value.getName().str(), cast<IntegerAttr>(value.getValue()).getInt());
  auto whole = ModuleOp::create(input.kernel.getLoc());
  OwningOpRef<ModuleOp> sized(whole);
  auto kernel = cast<tile::KernelOp>(input.kernel->clone());
  whole.push_back(kernel);
  input.split = ModuleOp::create(input.kernel.getLoc());
  if (failed(setParameters(kernel, values)))
    return code = diagnosed(input), false;
  FailureOr<tile::ChainOp> chain = splitContraction(kernel, splits, sums.value_or(PartialSums::Ordered), *input.split);
  if (failed(chain))
    return code = diagnosed(input), false;
  // The first kernel has the program's parameters, with no choice left, so that its plan names them.
  tile::KernelOp parts = tile::kernelsOf(*chain).front();
  OpBuilder b = OpBuilder::atBlockBegin(&parts.getBody().front());
  for (auto &[name, own] : parametersOf(input.kernel)) {
    int64_t value = values.count(name) ? values.at(name) : own;
    tile::ParamOp::create(b, parts.getLoc(), b.getStringAttr(name), b.getI64IntegerAttr(value),
                          b.getDenseI64ArrayAttr(value));
  }
  input.whole = std::exchange(input.kernel, {});
  input.chain = *chain;
  return true;
}

std::unique_ptr<Input> loadProgram(int &code) {
  std::unique_ptr<Input> input = parseInput(code);
  return input && pickKernel(*input, code) && splitKernel(*input, code) ? std::move(input) : nullptr;
}

/// Picks the entry of a task program (`--kernel` when there are several).
static bool pickTask(Input &input, int &code) {
  SmallVector<task::TaskOp> entries = task::entriesOf(*input.module);
  for (task::TaskOp entry : entries)
    if (kernelName.empty() ? entries.size() == 1 : entry.getSymName() == kernelName)
      input.task = entry;
  if (!input.task)
    if (!input.task) {
      std::string names;
      for (task::TaskOp entry : entries)
        names += (names.empty() ? "'" : ", '") + entry.getSymName().str() + "'";
      code = fail("expected one task that no other one launches in '" + inputFile +
                  "', or the name of one with --kernel, got " + (names.empty() ? "none" : names));
    }
  return static_cast<bool>(input.task);
}

std::unique_ptr<Input> loadAnyProgram(int &code, bool tasks) {
  std::unique_ptr<Input> input = parseInput(code);
  if (!input)
    return nullptr;
  if (tasks && !input->module->getOps<task::TaskOp>().empty())
    return pickTask(*input, code) ? std::move(input) : nullptr;
  if (lacksMapping(*input, code))
    return nullptr;
  if (pickChain(*input, code) || code)
    return code ? nullptr : std::move(input);
  SmallVector<FunctionOpInterface> kernels;
  for (auto kernel : input->module->getOps<FunctionOpInterface>())
    if (isa<tile::KernelOp, warp::KernelOp, hw::KernelOp>(kernel) &&
        (kernelName.empty() || kernel.getName() == kernelName))
      kernels.push_back(kernel);
  if (kernels.size() != 1) {
    code = fail(kernelName.empty() ? "expected one kernel (tile.kernel, tt.func, warp.kernel or hw.kernel) in '" +
                                         inputFile + "' (or --kernel), got " + std::to_string(kernels.size())
                                   : "expected one kernel '" + kernelName + "' in '" + inputFile + "', got " +
                                         std::to_string(kernels.size()));
    return nullptr;
  }
  input->kernel = dyn_cast<tile::KernelOp>(kernels[0].getOperation());
  if (input->kernel)
    return splitKernel(*input, code) ? std::move(input) : nullptr;
  input->lower = kernels[0];
  if (Status status = checkLowerOptions(input->lower); !status) {
    code = fail(status.error());
    return nullptr;
  }
  return input;
}

LogicalResult compileInput(const Input &input, const Machine &machine, Level upTo, Compilation &out) {
  if (input.kernel)
    return compileKernel(input.kernel, machine, optionsOf(input, input.kernel), upTo, out);
  CompileOptions options = chosenOptions();
  options.file = inputFile;
  Operation *lower = input.lower;
  if (auto kernel = dyn_cast<warp::KernelOp>(lower))
    return compileKernel(kernel, machine, options, upTo, out);
  return compileKernel(cast<hw::KernelOp>(lower), machine, options, upTo, out);
}

SmallVector<tile::KernelOp> kernelsOf(const Input &input) {
  return input.chain ? tile::kernelsOf(input.chain) : SmallVector<tile::KernelOp>{input.kernel};
}

int diagnosed(const Input &input) {
  return input.worst == ExitOk ? fail(Error(ErrorKind::Internal, "failed without a diagnostic")) : input.worst;
}

} // namespace heddle
