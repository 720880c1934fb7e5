//===- TakeTurns.cpp - several programs of a persistent kernel in flight ---===//
//
// What:      marks the loop over programs of a persistent kernel: n programs are in flight, each on compute groups of
//            its own. TileToWarp gives the groups of turn i the iterations i, i + n, i + 2n, ... of that loop; the load
//            group serves all iterations in order through rings that the groups empty in turn. A token orders the parts
//            of the programs between their first and last use of such a ring: the main loops run one after the other,
//            each alone on the tensor core, what comes before and behind runs beside another program's main loop.
// Where:     behind SelectInstructions, when it is known which loads the copy engine delivers.
// Verifies:  that every group can tell how often the other programs use a ring: loads of the copy engine stand in the
//            loop over programs or in a scheduled loop of it whose trip count follows from the program's number alone.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/TakeTurns.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Turns.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

/// The operation inside `loop` by which `value` depends on more than the loop's counter; null: there is none.
static Operation *memoryBehind(Value value, scf::ForOp loop) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    Operation *def = v.getDefiningOp();
    if (!def || !loop->isProperAncestor(def) || !seen.insert(v).second)
      continue;
    if (!isMemoryEffectFree(def) || def->getNumRegions() || isa<tile::ElementOp, tile::LoadOp>(def))
      return def;
    work.append(def->operand_begin(), def->operand_end());
  }
  return nullptr;
}

LogicalResult takeTurns(tile::KernelOp kernel, int64_t turns) {
  scf::ForOp programs = programLoop(kernel);
  if (!programs)
    return kernel.emitOpError("cannot have ")
           << turns << " tiles in flight: it is not persistent (ask for `--persistent=on`)";
  bool fed = false;
  WalkResult walk = programs.walk([&](tile::LoadOp load) {
    if (!isTmaLoad(load) || load->getParentOp() == programs)
      return WalkResult::advance();
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    if (!loop || loop->getParentOp() != programs || !isScheduledLoop(loop)) {
      load.emitOpError("cannot have ") << turns << " tiles in flight: expected loads in the program or in an innermost "
                                       << "loop of it, got one that is nested deeper";
      return WalkResult::interrupt();
    }
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (Operation *memory = memoryBehind(bound, programs)) {
        InFlightDiagnostic diag = loop.emitOpError("cannot have ")
                                  << turns
                                  << " tiles in flight: expected trips that follow from the program's number, got '"
                                  << memory->getName() << "'";
        diag.attachNote(memory->getLoc()) << "read here";
        return WalkResult::interrupt();
      }
    fed = true;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!fed)
    return kernel.emitOpError("cannot have ")
           << turns << " tiles in flight: expected a loop that the copy engine feeds, got none";
  programs->setAttr(turnsAttr, Builder(kernel.getContext()).getI64IntegerAttr(turns));
  return success();
}

} // namespace heddle
