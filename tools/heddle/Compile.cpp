//===- Compile.cpp - heddle compile ----------------------------------------===//
#include "Gpu.h"
#include "Inputs.h"
#include "Options.h"

#include "heddle/Analysis/KernelWork.h"
#include "heddle/Conversion/TritonToTile/TritonToTile.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Draw.h"
#include "heddle/Support/Files.h"
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
                  "problem, schedule, plan, warp, hw, cuda; or cubin to also run nvcc"),
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
  if (name == "warp" || name == "plan")
    return Level::Warp;
  if (name == "hw")
    return Level::HW;
  if (name == "cuda" || name == "cubin" || name.empty())
    return Level::Cuda;
  return userError(
      "--emit: expected events, program, tile, instructions, problem, schedule, plan, warp, hw, cuda or cubin, "
      "got '" +
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

/// Replaces what an earlier compilation left in `dir`, as a whole. With `nvcc` also the cubin.
static Status writeOutputs(const std::string &dir, const Input &input, const Compilation &c, const std::string &nvcc) {
  std::vector<std::pair<std::string, std::string>> files = {{"kernel.cu", c.cuda}, {"kernel.json", c.manifest}};
  for (size_t i = 0; i < c.loops.size(); ++i) {
    std::string suffix = i ? std::to_string(i) : "";
    const ScheduledLoop &loop = c.loops[i];
    files.push_back({"schedule" + suffix + ".svg", drawSchedule(loop.extracted.problem, loop.result.schedule)});
    files.push_back({"loop" + suffix + ".sched", writeProblem(loop.extracted.problem)});
    files.push_back({"loop" + suffix + ".solution", writeSchedule(loop.extracted.problem, loop.result.schedule)});
  }
  if (input.conversion)
    files.push_back({"launch.json", triton::launchText(*input.conversion)});
  if (!nvcc.empty()) {
    Result<std::string> cubin = during("nvcc", [&] { return compileCubin(nvcc, c.cuda); });
    if (!cubin)
      return cubin.error();
    files.push_back({"kernel.cubin", *cubin});
  }
  llvm::Regex ours("^(kernel\\.cubin|launch\\.json|schedule[0-9]*\\.svg|loop[0-9]*\\.(sched|solution))$");
  return replaceFiles(dir, files, [&](const std::string &name) { return ours.match(name); });
}

int compileMain() {
  int code = ExitOk;
  if (llvm::StringRef stage = emit; stage == "events" || stage.starts_with("events:")) {
    std::unique_ptr<Input> tasks = parseText(code);
    return tasks ? emitEvents(*tasks, stage.split(':').second) : code;
  }
  Result<Level> level = levelOf(emit);
  if (!level)
    return fail(level.error());
  bool toFiles = emit.empty() || emit == "cubin";
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
  if (Operation *lower = input->lower)
    if (*level < Level::Warp || emit == "plan" || (isa<hw::KernelOp>(lower) && *level < Level::HW))
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
  if (!toFiles) {
    printLevel(emit, c);
    return ExitOk;
  }
  if (Status status = writeOutputs(dir, *input, c, *nvcc); !status)
    return fail(status.error());
  if (!c.loops.empty())
    llvm::outs() << describeSchedules(c) << "\n";
  llvm::outs() << "wrote " << dir << "/kernel.cu, kernel.json" << (c.loops.empty() ? "" : ", schedule.svg") << "\n";
  return ExitOk;
}

} // namespace heddle
