//===- DefaultGroups.cpp - how many warp groups divide a program ---------------===//
//
// What:      Partition::defaultGroups, and what one group has room for.
// Algorithm: as many groups as there may be, and fewer, until their rows divide. One group takes what nothing divides,
//            where it has room for the largest product; where that leaves little beside it, groups divide columns.
//
//===----------------------------------------------------------------------===//
#include "DefaultGroups.h"

#include "heddle/Analysis/Partition.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
namespace heddle {

/// Elements of a sum that one group may hold beside everything else: half of its registers.
static int64_t mostOfOneGroup() { return threadsPerGroup * Occupancy(WarpLimits()).largestBudget() / 2; }

bool fitsOneGroup(int64_t elements) {
  return elements <= threadsPerGroup * (Occupancy(WarpLimits()).largestBudget() - registersBesideTiles);
}

int64_t largestSum(tile::KernelOp kernel) {
  int64_t largest = 0;
  kernel.walk([&](tile::DotOp dot) { largest = std::max(largest, dot.getResult().getType().getNumElements()); });
  return largest;
}

/// Whether a sum of `kernel`, or all that one of its loops carries, leaves one group little beside it: it takes more
/// than two thirds of its registers (64 x 256, a half, has room; 64 x 512 has no schedule).
static bool fillsOneGroup(tile::KernelOp kernel) {
  int64_t most = largestSum(kernel);
  kernel.walk([&](scf::ForOp loop) {
    int64_t carried = 0;
    for (Value variable : loop.getRegionIterArgs())
      if (auto tile = dyn_cast<RankedTensorType>(variable.getType()); tile && tile.getRank() == 2)
        carried += tile.getNumElements();
    if (!loop.getOps<tile::DotOp>().empty())
      most = std::max(most, carried);
  });
  return 3 * most > 4 * mostOfOneGroup();
}

/// Whether `groups` warp groups divide the rows of every product of `kernel`.
static bool divideAllRows(tile::KernelOp kernel, int64_t groups) {
  FailureOr<Partition> partition = Partition::compute(kernel, groups, /*columns=*/false);
  bool all = succeeded(partition);
  kernel.walk([&](tile::DotOp dot) {
    all = all && !partition->isPartialSum(dot.getResult()) && partition->axis(dot.getResult()) == 0 &&
          dot.getResult().getType().getDimSize(0) % (targetOf(dot).dotRows() * groups) == 0;
  });
  return all;
}

int64_t Partition::defaultGroups(tile::KernelOp kernel, int64_t limit) {
  // compute() reports when it is asked for
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  int64_t largest = 0, indivisible = 1;
  const bool columns = fillsOneGroup(kernel);
  // Groups that divide rows compute nothing twice, so that more of them by columns are no better.
  for (int64_t groups = limit; groups > 1 && columns; --groups)
    if (divideAllRows(kernel, groups))
      return groups;
  for (int64_t groups = limit; groups > 1; --groups) {
    FailureOr<Partition> partition = compute(kernel, groups, columns);
    bool any = false, all = true;
    kernel.walk([&](tile::DotOp dot) {
      if (succeeded(partition) && partition->isPartialSum(dot.getResult()))
        return;
      largest = std::max(largest, dot.getResult().getType().getNumElements());
      bool divides = dot.getResult().getType().getDimSize(0) % (targetOf(dot).dotRows() * groups) == 0 ||
                     (succeeded(partition) && partition->axis(dot.getResult()) == 1);
      any |= divides, all &= divides;
    });
    // Each group would do the whole work of some: only where one group has no room.
    if (!any || (!all && largest <= mostOfOneGroup()))
      continue;
    if (succeeded(partition))
      return groups;
    indivisible = std::max(indivisible, groups);
  }
  if (indivisible > 1 && !fitsOneGroup(largest))
    return indivisible;
  for (int64_t groups = 2; groups <= limit && columns; ++groups) {
    FailureOr<Partition> partition = compute(kernel, groups);
    bool any = false;
    kernel.walk([&](tile::DotOp dot) { any |= succeeded(partition) && partition->axis(dot.getResult()) == 1; });
    if (any)
      return groups;
  }
  return 1;
}

} // namespace heddle
