//===- FormOptions.h - the form in which a kernel is compiled -------------------===//
//
// What:   what a user asks for, and beside it what the compiler decides or tries: one set of values is a form.
// Where:  compileKernel begins with the user's options and tries forms (Pipelines.cpp, Cubin.cpp, Tune.cpp); what a
//         plan says joins them first (PlanOptions.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_FORMOPTIONS_H
#define HEDDLE_LIB_PIPELINES_FORMOPTIONS_H

#include "heddle/Pipelines/Compiler.h"

namespace heddle {

struct FormOptions : CompileOptions {
  explicit FormOptions(const CompileOptions &asked) : CompileOptions(asked) {}

  // What a plan may say.
  int64_t blocks = 1;            ///< thread blocks that share a multiprocessor (Plan.md)
  std::optional<int64_t> retile; ///< positions of a block of online softmax, at least (RetileLoops.h); 0: blocks are as
                                 ///< the program has them; none: what runs best
  bool narrow = false;           ///< blocks longer than that are cut to it (BlockSizes::narrow)
  Rows rows = Rows::Held;        ///< those that loops load; the compiler rereads them where registers are too few
  bool rowsGiven = false;        ///< no other form of rows is tried behind this one
  /// Whether reductions over threads stand behind loops, where the plan does not say it.
  std::optional<bool> defers;
  /// Whether one program computes what all along a dimension of the grid store alike; none: the compiler decides.
  std::optional<bool> once;
  /// Left operands computed outside their products' loops stand in shared memory, where the plan does not say it.
  bool stageOuter = true;
  /// What threads load for products alone they copy to shared memory, where the plan does not say it.
  bool threadCopies = true;
  bool transposeProducts = true;    ///< products whose right operand threads make are transposed (TransposeProducts.h)
  bool startSums = true;            ///< products begin with a vector that is added to them (StartSums.h)
  bool endBlocks = false;           ///< blocks of instructions end at every product and every wait for products (see
                                    ///< Pressure.h)
  std::optional<bool> oneCode;      ///< groups that share a function run one instance of it; none: where it gains
  std::optional<bool> skipOnes;     ///< factors that are often one are tested; none: where products bind
  bool recompute = false;           ///< threads read their coordinates again where a branch around a mask needs them
  std::optional<bool> turnedStores; ///< ordinary stores of 16-bit elements write 16 bytes a lane; none: where it gains
  bool matrixStores = false;        ///< 16-bit fragments go to shared memory in matrices of 8 x 8 (stmatrix)
  bool slices = false;              ///< element-wise operations on large tiles run slice by slice (Plan.md)
  bool slicesBehind = false;        ///< those outside of innermost loops do
  bool drains = false;              ///< no product runs where a loop with products begins

  // Where nobody says otherwise.
  int64_t groupsForRoom = 0; ///< so many, though each then does the whole of some products
  int64_t partsForRoom = 0;  ///< epilogues that load run in parts of so many columns
  bool releases = false;     ///< schedules keep slots until the wait behind their last reader, as rings do at most
  bool oneSlot = false;      ///< one slot of each ring suffices for the order of a schedule
  bool nearsBound = true;    ///< a loop may take registers for addresses to come near to its bound
  bool givesUpRoom = true;   ///< where no schedule has enough registers, forms are tried that count fewer
  bool retileSaves = false;  ///< `retile` saves registers: the kernel's header says so
  bool rowsSave = false;     ///< `rows` do: the same
  bool partsSave = false;    ///< `partsForRoom` do: the same

  // How it is searched for.
  std::shared_ptr<SolvedLoops> solved; ///< of this compilation; null: a new one
  int64_t tries = 1;                   ///< see PolicyOptions
  int64_t below = 0;                   ///< the same
  int64_t worth = 0;                   ///< the same
  bool inTurn = false;                 ///< the same, of loops where the order of groups matters
  bool whyNot = true;                  ///< the same
  bool onlyDecides = false;            ///< it serves a decision: nobody is told what binds, and there is no certificate
  const Plan *plan = nullptr;          ///< what compileKernel made of the plan's text
};

/// Compiles `kernel` with these and what is found better, as the public one does.
mlir::LogicalResult compileKernel(tile::KernelOp kernel, const Machine &machine, const FormOptions &asked, Level upTo,
                                  Compilation &out);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_FORMOPTIONS_H
