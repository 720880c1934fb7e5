//===- Plan.h - decisions about a kernel, by label --------------------------===//
//
// What:   the one record of decisions: `plan` attributes of a tile program and of its operations, and a plan file (one
//         dictionary attribute, keyed by label). Keys that a plan lacks are decided by the compiler.
// Labels: `kernel`; `plan = {label = "S"}` of an operation or a loop; else the operation's mnemonic, from the second on
//         with a number, counted in program order of the selected kernel (loops: `loop`, `loop_1`, ...; the one that
//         takes tile after tile in a persistent kernel: `programs`). After sub-tiling a label names one operation of
//         each sub-tile; a list gives each its own value.
// Where:  read before anything else (form), bound to the operations that are scheduled after SelectInstructions, and
//         copied to each loop's problem by `pinProblem`.
// Docs:   docs/Plan.md
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_PLAN_H
#define HEDDLE_ANALYSIS_PLAN_H

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Tile/Tile.h"

#include <map>

namespace heddle {

inline constexpr llvm::StringLiteral kernelLabel = "kernel"; ///< of the kernel in a plan file
/// Values of `tile_source`.
inline constexpr llvm::StringLiteral strideSource = "stride", counterSource = "counter";
inline constexpr int64_t mostSplits = 64;     ///< programs that share a contraction, that anyone may ask for
inline constexpr int64_t mostBlocks = 8;      ///< thread blocks on a multiprocessor, that anyone may ask for
inline constexpr int64_t mostSlots = 1 << 10; ///< of a ring, that anyone may ask for

/// One decision: what is said, and where.
struct PlanValue {
  mlir::Attribute value;
  mlir::Location loc;
};

/// What is said of one label.
struct PlanEntry {
  mlir::Location loc;
  std::map<std::string, PlanValue> values;
};

class Plan {
public:
  /// The attributes of `kernel` and the file `text` (of this name; empty: none). Errors, located: a file that does not
  /// parse, unknown keys, values of another form, a label of two operations.
  static mlir::FailureOr<Plan> read(tile::KernelOp kernel, llvm::StringRef text, llvm::StringRef file);

  /// Gives every loop and every operation of `selected` (after selectInstructions) that is scheduled its label. Errors,
  /// located: labels that nothing has, decisions that an operation or loop does not have, values of too many sub-tiles,
  /// the file and the program saying different things.
  mlir::LogicalResult bind(tile::KernelOp selected);

  /// Null: not decided by the plan.
  const PlanValue *ofKernel(llvm::StringRef key) const;
  const PlanValue *find(mlir::Operation *op, llvm::StringRef key) const;
  /// The number that the plan gives for the kernel, or for the sub-tile of `op`; `otherwise` where it gives none.
  int64_t number(llvm::StringRef key, int64_t otherwise) const;
  int64_t number(mlir::Operation *op, llvm::StringRef key, int64_t otherwise) const;
  /// Whether it says anything of a loop or of an operation.
  bool decidesLoops() const { return beyondKernel; }
  /// After `bind`: the label of a loop or an operation that is scheduled, else "".
  llvm::StringRef label(mlir::Operation *op) const;

private:
  std::map<std::string, PlanEntry> entries;
  std::string fileName;
  llvm::DenseMap<mlir::Operation *, std::string> labels;
  std::map<std::string, PlanValue> kernelValues;
  bool beyondKernel = false;
};

/// Whether `key` is a decision about a kernel and `value` has its form; else an error at `loc`.
mlir::LogicalResult verifyKernelDecision(mlir::Location loc, llvm::StringRef key, mlir::Attribute value);

/// The integers of a number or a list of numbers.
llvm::SmallVector<int64_t> planNumbers(mlir::Attribute value);

/// Makes every operation of `loop` a node of its own where `plan` gives operations of one chain different places.
void dissolveWherePlanned(mlir::scf::ForOp loop, const Plan &plan);

/// Fixes in `loop.problem` what `plan` says of the loop and of its operations, and lists it in `loop.pins`. Times are
/// rounded to the units of the problem: starts down, the interval up. `fixedGroups`: warp assignment is no decision.
mlir::LogicalResult pinProblem(LoopProblem &loop, const Plan &plan, bool fixedGroups);

/// The schedule that the pins of `loop` leave no choice of: interval, every start and every group are fixed. It may be
/// illegal.
std::optional<Schedule> plannedSchedule(const LoopProblem &loop);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_PLAN_H
