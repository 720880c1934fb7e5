//===- Describe.cpp - What was scheduled, in words ---------------------------===//
//
// What:  the schedules of a compilation, a line each, and the tree of its loops, for those who run the compiler.
//
//===----------------------------------------------------------------------===//
#include "heddle/Pipelines/Compiler.h"

#include "BlockSizes.h"

#include "heddle/Analysis/Turns.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace heddle {

std::string inCycles(StringRef text, int64_t unit) {
  std::string out;
  for (size_t at; unit > 1 && (at = text.find(" cycles")) != StringRef::npos; text = text.drop_front(at + 1)) {
    StringRef before = text.take_front(at),
              number = before.take_back(before.size() - before.rtrim("0123456789").size());
    int64_t value = 0;
    if (number.getAsInteger(10, value))
      out += text.take_front(at + 1);
    else
      out += (before.drop_back(number.size()) + Twine(value * unit) + " ").str();
  }
  return out + text.str();
}

std::string boundText(const SolveResult &result, int64_t unit) {
  std::string text = std::to_string(result.bound * unit);
  return unit > 1 ? text + " in units of " + std::to_string(unit) + " cycles" : text;
}

std::string describeSchedules(const Compilation &compilation) {
  if (compilation.loops.empty())
    return "no loop to schedule";
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, loop] : llvm::enumerate(compilation.loops)) {
    int64_t unit = loop.extracted.problem.scale;
    const SolveResult &r = loop.result;
    if (!r.hasSchedule)
      continue;
    os << (i ? "\n" : "") << "loop " << i << ": initiation interval " << r.schedule.ii * unit << " cycles, lower bound "
       << boundText(r, unit) << ", " << (loop.replayed ? "given" : solveStatusName(r.status)) << "; "
       << r.schedule.stages(loop.extracted.problem) << " stages";
    if (loop.stoppedChoosing)
      os << " (time limit reached before the orders of this interval were compared)";
    if (!r.binding.empty())
      os << "\n  binds: " << inCycles(r.binding, unit);
  }
  if (std::string blocks = describeBlocks(compilation); !blocks.empty())
    os << "\n" << blocks;
  if (int64_t blocks = blocksOf(compilation); blocks > 1)
    os << "\n" << blocks << " thread blocks share a multiprocessor: one computes while another one waits";
  return text;
}

/// ", line N" of the program's text; empty: its text has none.
static std::string lineOf(Operation *op) {
  auto at = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return at ? ", line " + std::to_string(at.getLine()) : "";
}

std::string describeRegions(const Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ModuleOp module = compilation.instructions.get();
  auto kernel = *module.getOps<tile::KernelOp>().begin();
  os << "kernel " << kernel.getSymName() << "\n";
  auto describe = [&](const SolveResult &result, int64_t unit) {
    os << "interval " << result.schedule.ii * unit << " cycles, " << solveStatusName(result.status);
  };
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel || !op->getNumRegions())
      return WalkResult::advance();
    auto scheduled = llvm::find_if(compilation.loops, [&](auto &loop) { return loop.extracted.loop == op; });
    bool isLoop = scheduled != compilation.loops.end();
    bool holds = llvm::any_of(compilation.loops, [&](auto &loop) { return op->isProperAncestor(loop.extracted.loop); });
    if (!isLoop && !holds)
      return WalkResult::skip();
    unsigned depth = 1;
    for (Operation *parent = op->getParentOp(); parent != kernel; parent = parent->getParentOp())
      ++depth;
    os.indent(2 * depth);
    if (isLoop) {
      os << "loop " << scheduled - compilation.loops.begin() << lineOf(op) << ": ";
      describe(scheduled->result, scheduled->extracted.problem.scale);
      os << ", " << scheduled->result.schedule.stages(scheduled->extracted.problem) << " stages\n";
      return WalkResult::skip();
    }
    if (op == programLoop(kernel) && compilation.programs) {
      const ScheduledPrograms &programs = *compilation.programs;
      os << "programs, " << programs.turns << " in an iteration: ";
      describe(programs.result, programs.problem.scale);
      os << " given the schedules inside and " << programs.trips << " trips of each\n";
    } else {
      os << op->getName().getStringRef() << lineOf(op) << ": as written\n";
    }
    return WalkResult::advance();
  });
  return text;
}

} // namespace heddle
