//===- Cubin.cpp - see Cubin.h ---------------------------------------------===//
#include "Cubin.h"

#include "Gpu.h"
#include "llvm/Support/Regex.h"
#include <tuple>

using namespace mlir;

namespace heddle {

namespace {

/// What ptxas lacked registers for.
struct Shortage {
  int64_t serialised = 0; ///< messages C75xx: products wait for each other
  int64_t stored = 0;     ///< bytes of registers stored in local memory

  bool operator<(const Shortage &other) const {
    return std::tie(serialised, stored) < std::tie(other.serialised, other.stored);
  }
};

/// Four registers of a thread: attention's backward pass stores three outside its loop, and with all blocks ended it
/// ran at 0.89 of its speed (docs/Emission.md, "The order that runs").
constexpr int64_t fewBytes = 16;

struct Remedy {
  bool endBlocks;
  int64_t spareRegisters;
};
/// What leaves ptxas less to hold at a time, the cheapest first: blocks that end keep the schedule. 24 registers are
/// as many as products of 8-bit integers and attention with a tile of biases needed.
constexpr Remedy remedies[] = {{true, 0}, {false, 24}, {true, 24}};

} // namespace

static Shortage shortageIn(llvm::StringRef log) {
  Shortage shortage;
  const llvm::Regex serialised("\\(C75[0-9][0-9]\\)"), stored("([0-9]+) bytes spill stores");
  llvm::SmallVector<llvm::StringRef> lines, groups;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    int64_t bytes = 0;
    shortage.serialised += serialised.match(line);
    if (stored.match(line, &groups) && !groups[1].getAsInteger(10, bytes))
      shortage.stored += bytes;
  }
  return shortage;
}

/// Of an iteration of every loop.
static int64_t cyclesOf(const Compilation &c) {
  int64_t cycles = 0;
  for (const ScheduledLoop &loop : c.loops)
    cycles += loop.result.schedule.ii * loop.extracted.problem.scale;
  return cycles;
}

Result<std::string> cubinFor(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options,
                             const std::string &nvcc, Compilation &c) {
  if (nvcc.empty())
    return std::string();
  auto build = [&](const Compilation &of) { return during("nvcc", [&] { return compileCubin(nvcc, of.cuda); }); };
  Result<Cubin> best = build(c);
  if (!best)
    return best.error();
  Shortage least = shortageIn(best->log);
  bool open = kernel && options.planFile.empty() && options.scheduleFiles.empty();
  int64_t cycles = cyclesOf(c);
  for (const Remedy &remedy : remedies) {
    if (!open || (!least.serialised && least.stored <= fewBytes))
      break;
    CompileOptions other = options;
    other.endBlocks = remedy.endBlocks;
    other.extract.spareRegisters = remedy.spareRegisters;
    Compilation again;
    ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
    // Beyond a quarter more time the few bytes are the smaller loss.
    if (failed(compileKernel(kernel, machine, other, Level::Cuda, again)) || 4 * cyclesOf(again) > 5 * cycles)
      continue;
    Result<Cubin> cubin = build(again);
    if (!cubin)
      return cubin.error();
    if (Shortage now = shortageIn(cubin->log); now < least) {
      least = now;
      best = std::move(cubin);
      c = std::move(again);
    }
  }
  llvm::errs() << best->log;
  return best->bytes;
}

} // namespace heddle
