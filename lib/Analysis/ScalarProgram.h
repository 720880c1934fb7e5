//===- ScalarProgram.h - the scalar control of one group, compiled to run fast --===//
//
// What:    the loops, branches and ring operations of a region, and the scalars they depend on, as a flat list of steps
//          over integer registers.
// Where:   private to the protocol dry run, which runs it some hundred times.
// Unknown: sizes of views (by the name of the dimension), scalar arguments and program numbers are registers that the
//          caller sets; elements of memory are steps, since they depend on their place.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_SCALARPROGRAM_H
#define HEDDLE_LIB_ANALYSIS_SCALARPROGRAM_H

#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

enum class StepKind {
  Set,
  Move,
  Scalar, // dst = imm; dst = a; dst = op(a, b, c)
  LoopHead,
  LoopNext, // dst: the variable; a, b, c: bounds and step; imm: where the loop ends, where its body begins
  BranchUnless,
  Jump,        // to imm; unless a
  Element,     // dst = what memory holds at place a of the view whose contents are unknown imm
  NextProgram, // dst = another program: of the first and the number of programs in a and b
  Put,         // the number b to ring imm, use a
  Acquire,
  Publish,
  Get,      // dst (unless -1) = the number that was put
  Consumed, // ring imm, use a
  Enter,
  Leave, // order imm, round a, place b
  Meet   // with all other groups that meet
};

enum class ScalarKind {
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  RemS,
  RemU,
  MinS,
  MaxS,
  MinU,
  MaxU,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  Compare,
  Select,
  SignExtend,
  ZeroExtend
};

struct ProgramStep {
  StepKind kind;
  int dst = -1, a = -1, b = -1, c = -1;
  int64_t imm = 0;
  mlir::Operation *op = nullptr;
  ScalarKind scalar = ScalarKind::Add;
  unsigned width = 64, fromWidth = 64; ///< bits of the result, of the operands
};

/// The result of a scalar step; nothing where it is undefined (division by zero).
std::optional<int64_t> evaluate(const ProgramStep &step, int64_t a, int64_t b, int64_t c);

/// What is not known before the kernel runs. The elements of a view are one unknown, whose values take turns.
struct Unknown {
  std::string name;
  int program = -1;           ///< dimension of the grid, for program numbers
  int64_t least = 0;          ///< views have no size below 1
  std::set<int64_t> granules; ///< a loop that it bounds runs once more for each of these
};

/// Unknowns of a kernel, shared by its groups.
struct Unknowns {
  std::vector<Unknown> list;
  int64_t largestCompared = 0; ///< numbers, up to 64, that scalars are compared with
  int find(const std::string &name, int program = -1, int64_t least = 0);
};

class ScalarProgram {
public:
  /// Compiles `block`, and what `results` need. Nothing if control depends on something that cannot be followed.
  static std::optional<ScalarProgram> compile(mlir::Block &block, mlir::ValueRange results,
                                              const llvm::DenseMap<mlir::Value, int> &rings, Unknowns &unknowns);

  std::vector<ProgramStep> steps;
  std::vector<std::pair<int, int>> inputs; ///< register, unknown
  std::vector<int> results;                ///< registers
  int registers = 0;

private:
  friend class ScalarCompiler;
  void noteGranules(Unknowns &unknowns) const;
};

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_SCALARPROGRAM_H
