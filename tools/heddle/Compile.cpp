//===- Compile.cpp - heddle compile ----------------------------------------===//
#include "Chains.h"
#include "Gpu.h"
#include "Inputs.h"
#include "Options.h"

#include "heddle/Analysis/KernelWork.h"
#include "heddle/Conversion/TritonToTile/TritonToTile.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Draw.h"
#include "heddle/Support/Files.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<std::string> outputDir("o", cl::desc("output directory (its parent must exist)"), cl::value_desc("dir"),
                                      cl::sub(compileCommand));
static cl::opt<std::string>
    emit("emit",
         cl::desc("print one level instead: events (of tasks; events:dependences, events:vectorised, events:copies "
                  "before the last stage), program (tasks or a Triton kernel as a tile program), tile, instructions, "
                  "problem, schedule, plan, mapping (of tasks, with what the plan says), warp, hw, cuda; or cubin to "
                  "also run nvcc"),
         cl::sub(compileCommand));

static cl::opt<bool> noLocations("no-locations",
                                 cl::desc("--emit=warp and --emit=hw without the places in the tile program: the text "
                                          "is shorter, and compiled again, its own lines are named"),
                                 cl::sub(compileCommand));

/// With names and places, so that a text which is compiled again gives the same kernel.
static void printLower(OwningOpRef<ModuleOp> &module) {
  OpPrintingFlags flags;
  flags.printNameLocAsPrefix();
  if (!noLocations) {
    tile::noteNames(*module);
    flags.enableDebugInfo();
  }
  module->print(llvm::outs(), flags);
  llvm::outs() << "\n";
}

static Result<Level> levelOf(llvm::StringRef name) {
  if (name == "program")
    return Level::Tile;
  if (name == "tile" || name == "instructions" || name == "problem")
    return Level::Problem;
  if (name == "schedule")
    return Level::Schedule;
  if (name == "warp")
    return Level::Warp;
  if (name == "hw" || name == "plan" || name == "mapping") // decisions with which the kernel can be made
    return Level::HW;
  if (name == "cuda" || name == "cubin" || name.empty())
    return Level::Cuda;
  return userError(
      "--emit: expected events, program, tile, instructions, problem, schedule, plan, mapping, warp, hw, cuda or "
      "cubin, got '" +
      name.str() + "'");
}

static void printLevel(llvm::StringRef name, Compilation &c) {
  if (name == "program")
    return c.tile->print(llvm::outs());
  if (name == "tile")
    return c.subtiled->print(llvm::outs());
  if (name == "instructions")
    return c.instructions->print(llvm::outs());
  if (name == "warp")
    return printLower(c.warp);
  if (name == "hw")
    return printLower(c.hw);
  if (name == "cuda" || name == "plan") {
    llvm::outs() << (name == "plan" ? c.plan : c.cuda);
    return;
  }
  for (ScheduledLoop &loop : c.loops)
    llvm::outs() << (name == "problem" ? writeProblem(loop.extracted.problem)
                                       : writeSchedule(loop.extracted.problem, loop.result.schedule));
}

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// The cubin of `c` (see makeCubin); empty without `nvcc`. What nvcc says of the kernel that is kept goes to stderr.
static Result<std::string> cubinOf(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options,
                                   const std::string &nvcc, Compilation &c) {
  if (nvcc.empty())
    return std::string();
  auto build = [&](const std::string &cuda) { return compileCubin(nvcc, cuda); };
  Result<Cubin> cubin = during("nvcc", [&] { return makeCubin(kernel, machine, options, build, c); });
  if (!cubin)
    return cubin.error();
  llvm::errs() << cubin->log;
  return cubin->bytes;
}

/// What is written of one kernel, and its cubin if there is one.
static NamedTexts filesOf(const Compilation &c, const std::string &cubin) {
  NamedTexts files = {{"kernel.cu", c.cuda}, {"kernel.json", c.manifest}};
  for (size_t i = 0; i < c.loops.size(); ++i) {
    std::string suffix = i ? std::to_string(i) : "";
    const ScheduledLoop &loop = c.loops[i];
    files.push_back({"schedule" + suffix + ".svg", drawSchedule(loop.extracted.problem, loop.result.schedule)});
    files.push_back({"loop" + suffix + ".sched", writeProblem(loop.extracted.problem)});
    files.push_back({"loop" + suffix + ".solution", writeSchedule(loop.extracted.problem, loop.result.schedule)});
  }
  if (!cubin.empty())
    files.push_back({"kernel.cubin", cubin});
  return files;
}

/// Replaces what an earlier compilation left in `dir`, as a whole.
static Status writeOutputs(const std::string &dir, const NamedTexts &files) {
  llvm::Regex ours("^(.*/)?(kernel\\.(cu|json|cubin)|chain\\.json|launch\\.json|schedule[0-9]*\\.svg|"
                   "loop[0-9]*\\.(sched|solution))$");
  return replaceFiles(dir, files, [&](const std::string &name) { return ours.match(name); });
}

/// One folder for each kernel, and chain.json.
static int compileChain(Input &input, const Machine &machine, const std::string &dir, const std::string &nvcc) {
  if (input.whole && emit == "plan") { // the decisions about the contraction
    CompiledKernels compiled;
    if (failed(compileKernels(input, machine, Level::HW, compiled)))
      return diagnosed(input);
    llvm::outs() << compiled[tile::kernelsOf(input.chain).front().getSymName().str()].plan;
    return ExitOk;
  }
  if (dir.empty() || !dims.empty())
    return fail((dir.empty() ? "--emit=" + emit : "--dims") +
                ": expected one kernel with it (--kernel=NAME), got tile.chain '" + input.chain.getSymName() + "'");
  CompiledKernels compiled;
  if (failed(compileKernels(input, machine, Level::Cuda, compiled)))
    return diagnosed(input);
  FailureOr<std::string> manifest = emitChainManifest(input.chain);
  if (failed(manifest))
    return diagnosed(input);
  NamedTexts files = {{"chain.json", *manifest}};
  for (tile::KernelOp kernel : kernelsOf(input)) {
    std::string name = kernel.getSymName().str();
    Result<std::string> cubin = cubinOf(kernel, machine, optionsOf(input, kernel), nvcc, compiled[name]);
    if (!cubin)
      return fail(cubin.error());
    for (auto &[file, text] : filesOf(compiled[name], *cubin))
      files.push_back({name + "/" + file, text});
    if (Status status = writeCertificates(compiled[name].loops, nullptr, name); !status)
      return fail(status.error());
  }
  if (Status status = writeOutputs(dir, files); !status)
    return fail(status.error());
  for (tile::KernelOp kernel : kernelsOf(input))
    llvm::outs() << describeKernel(kernel, compiled[kernel.getSymName().str()]) << "\n";
  llvm::outs() << "wrote " << dir << "/chain.json, and a folder for each of " << compiled.size() << " kernels\n";
  return ExitOk;
}

int compileMain() {
  int code = ExitOk;
  llvm::StringRef stage = emit;
  bool events = stage == "events" || stage.starts_with("events:"), toFiles = emit.empty() || emit == "cubin";
  Result<Level> level = events ? Result<Level>(Level::Tile) : levelOf(emit);
  if (!level)
    return fail(level.error());
  if (!toFiles && outputDir.getNumOccurrences())
    return fail("-o: expected no --emit with it, or --emit=cubin, got --emit=" + emit + ", which is printed");
  if (events) {
    std::unique_ptr<Input> tasks = parseText(code);
    return tasks ? emitEvents(*tasks, stage.split(':').second) : code;
  }
  if (toFiles && outputDir.empty())
    return fail("expected -o DIR (or --emit=LEVEL to print one level)");
  std::string dir = llvm::StringRef(outputDir).rtrim('/').str();
  llvm::StringRef parent = llvm::sys::path::parent_path(dir);
  if (toFiles && !parent.empty() && !llvm::sys::fs::is_directory(parent))
    return fail("output directory '" + outputDir + "': '" + parent + "' is not a directory");
  Result<std::string> nvcc = emit == "cubin" ? findNvcc("--emit=cubin") : Result<std::string>(std::string());
  if (!nvcc)
    return fail(nvcc.error());
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  std::unique_ptr<Input> input = loadAnyProgram(code);
  if (!input)
    return code;
  if (input->chain)
    return compileChain(*input, *machine, toFiles ? dir : "", *nvcc);
  if (Operation *lower = input->lower)
    if (*level < Level::Warp || emit == "plan" || emit == "mapping" || (isa<hw::KernelOp>(lower) && *level < Level::HW))
      return fail("--emit=" + emit + ": expected a program of a higher level, got " +
                  lower->getName().getStringRef().str() + " '" + input->lower.getName().str() + "'");
  if (input->kernel && !dims.empty()) {
    Result<Sizes> given = parseSizes("--dims", dims);
    if (!given)
      return fail(given.error());
    FailureOr<Sizes> sizes = sizesOf(input->kernel, *given);
    if (failed(sizes))
      return diagnosed(*input);
    useTunedPlan(input->kernel, *machine, *sizes);
  }
  Compilation c;
  if (failed(compileInput(*input, *machine, *level, c)))
    return diagnosed(*input);
  if (*level >= Level::Schedule)
    if (Status status = writeCertificates(c.loops); !status)
      return fail(status.error());
  if (emit == "mapping")
    return printMapping(*input, *machine, c.plan);
  if (!toFiles) {
    printLevel(emit, c);
    return ExitOk;
  }
  Result<std::string> cubin = cubinOf(input->kernel, *machine, optionsOf(*input, input->kernel), *nvcc, c);
  if (!cubin)
    return fail(cubin.error());
  NamedTexts files = filesOf(c, *cubin);
  if (input->conversion)
    files.push_back({"launch.json", triton::launchText(*input->conversion)});
  if (Status status = writeOutputs(dir, files); !status)
    return fail(status.error());
  if (!c.loops.empty())
    llvm::outs() << describeSchedules(c) << "\n";
  llvm::outs() << "wrote " << dir << "/kernel.cu, " << (cubin->empty() ? "" : "kernel.cubin, ") << "kernel.json"
               << (c.loops.empty() ? "" : ", schedule.svg") << "\n";
  return ExitOk;
}

} // namespace heddle
