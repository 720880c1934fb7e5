//===- Analyse.cpp - the steps of the conversion, in order ---------------------===//
//
// What:   a Triton kernel -> the same kernel in a form whose accesses can be followed, and what they are.
// Order:  assembly first, which no step and no interpreter reads. Then returns, so that the kernel is one block, and
//         branches, which may go. Loops that count are scf.for before anything is asked of what loops carry: variables
//         that stay, pointers that are chosen or cast, loads under two masks, two loops at once, amounts that vary.
//         Values (every integer as a polynomial) and accesses read what is left.
// Verify: heddle/Simulator/Triton/CheckSteps.h runs the kernel before and behind these steps.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

using namespace mlir;

namespace heddle::triton {

Conversion::Conversion() = default;
Conversion::~Conversion() = default;

/// How many sizes of the grid the kernel asks for.
static unsigned gridRankOf(FuncOp source) {
  unsigned rank = 1;
  source.walk([&](Operation *op) {
    unsigned axis = 0;
    if (auto id = dyn_cast<GetProgramIdOp>(op))
      axis = static_cast<unsigned>(id.getAxis());
    else if (auto count = dyn_cast<GetNumProgramsOp>(op))
      axis = static_cast<unsigned>(count.getAxis());
    rank = std::max(rank, axis + 1);
  });
  return rank;
}

LogicalResult analyse(FuncOp source, Conversion &result) {
  readAssembly(source);
  result.written = source.clone();
  knowPointers(source);
  if (failed(structureReturns(source)))
    return failure();
  mergeAlikeBranches(source);
  chooseByTiles(source);
  countLoops(source);
  forgetCarried(source);
  choosePointers(source);
  castPointers(source);
  mergeSameLoads(source);
  nestLoops(source);
  carryAmounts(source);
  result.source = source;
  result.values = std::make_unique<Values>(source);
  result.gridRank = gridRankOf(source);
  findAccesses(result);
  return success();
}

} // namespace heddle::triton
