//===- ScheduleKernel.h - from a program to the schedules of its loops -----===//
#ifndef HEDDLE_LIB_PIPELINES_SCHEDULEKERNEL_H
#define HEDDLE_LIB_PIPELINES_SCHEDULEKERNEL_H

#include "FormOptions.h"
#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// Every dialect that the levels use.
void loadDialects(mlir::MLIRContext *context);

/// A module of its own with a copy of `kernel`.
mlir::OwningOpRef<mlir::ModuleOp> moduleWith(mlir::Operation *kernel);
template <typename Op> Op only(mlir::OwningOpRef<mlir::ModuleOp> &module) { return *module->getOps<Op>().begin(); }

/// Says what is being done, for the time of one compilation.
class Doing {
public:
  explicit Doing(const CompileOptions &options) : progress(options.progress) {}
  ~Doing() { (*this)(""); }
  void operator()(const std::string &what) const {
    if (progress)
      progress(what);
  }

private:
  std::function<void(const std::string &)> progress;
};

/// Runs `attempt`; what it says is kept in `held` instead of being printed.
mlir::LogicalResult attemptQuietly(mlir::MLIRContext *context, std::vector<mlir::Diagnostic> &held,
                                   llvm::function_ref<mlir::LogicalResult()> attempt);

/// Whether a schedule is what is missing: there is none, or none was found.
bool isUnscheduled(mlir::Diagnostic &diagnostic);

/// Splits `whole`, which is `kernel` with parameters set and made persistent where that was decided, over compute
/// groups with `turns` programs in flight, selects instructions and schedules the loops, as far as `upTo`. `plan` is
/// bound to the result, and `options` become those that hold for it.
mlir::LogicalResult scheduleKernel(tile::KernelOp kernel, tile::KernelOp whole, int64_t turns, const Machine &machine,
                                   Level upTo, Plan &plan, FormOptions &options, Compilation &out);

/// Whether epilogues of the kernel load rows or tiles, or `tiles` alone, that could be loaded in parts of so many
/// columns. A whole tile takes memory of the loop's rings, or registers.
bool loadsBehindLoops(const Compilation &made, int64_t columns, bool tiles = false);
/// Of the parts that are tried, best first: 64 columns of two tiles left a product's loop one slot less
/// (bench/results/2026-11-30-h200-stores-together.json).
inline constexpr int64_t partColumns[] = {32, 64};

/// Of an iteration of every loop that does not take what another one has left.
int64_t cyclesOf(const Compilation &compilation);

/// Whether nobody has decided how many programs of `kernel`, which is persistent, are in flight.
bool leavesTilesInFlight(tile::KernelOp kernel, const FormOptions &asked);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_SCHEDULEKERNEL_H
