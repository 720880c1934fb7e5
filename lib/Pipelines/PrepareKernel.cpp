//===- PrepareKernel.cpp - the program in the form that is scheduled --------===//
//
// What:      a program -> one whose tiles, dots, loops and stores have the forms that groups divide and instructions
//            exist for; then the program divided over compute groups.
// Where:     the first two steps of ScheduleKernel, which says over how many groups. The order of the passes is here.
// Verifies:  the divided program, by its operations' verifiers.
//
//===----------------------------------------------------------------------===//
#include "PrepareKernel.h"
#include "ScheduleKernel.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Transforms/DeferReductions.h"
#include "heddle/Transforms/FoldBroadcasts.h"
#include "heddle/Transforms/FoldSplats.h"
#include "heddle/Transforms/HighProducts.h"
#include "heddle/Transforms/KeepOnTiles.h"
#include "heddle/Transforms/MarkFactors.h"
#include "heddle/Transforms/MergeEqual.h"
#include "heddle/Transforms/NarrowFolds.h"
#include "heddle/Transforms/NormaliseLoops.h"
#include "heddle/Transforms/NormaliseShapes.h"
#include "heddle/Transforms/OrderMemory.h"
#include "heddle/Transforms/OrderStores.h"
#include "heddle/Transforms/PrepareDots.h"
#include "heddle/Transforms/ReadScalars.h"
#include "heddle/Transforms/ScaleBehindFolds.h"
#include "heddle/Transforms/SeparatePositions.h"
#include "heddle/Transforms/SplitStores.h"
#include "heddle/Transforms/StartSums.h"
#include "heddle/Transforms/StreamTiles.h"
#include "heddle/Transforms/Subtile.h"
#include "heddle/Transforms/TransposeProducts.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace heddle {

LogicalResult prepareToSplit(tile::KernelOp kernel, std::optional<bool> &starts, std::optional<bool> &transposes,
                             OwningOpRef<ModuleOp> &out) {
  out = moduleWith(kernel);
  auto copy = only<tile::KernelOp>(out);
  mergeEqual(copy);
  if (failed(normaliseShapes(copy)))
    return failure();
  keepOnTiles(copy);
  if (failed(readScalars(copy)))
    return failure();
  foldSplats(copy);
  foldBroadcasts(copy);
  callHighProducts(copy);
  narrowFolds(copy);
  normaliseLoops(copy);
  splitStores(copy);
  starts = hasSumsToStart(copy) ? starts : std::nullopt;
  if (starts.value_or(false))
    startSums(copy);
  prepareDots(copy);
  transposes = hasProductsToTranspose(copy) ? transposes : std::nullopt;
  if (transposes.value_or(false))
    transposeProducts(copy);
  transposeComputedOperands(copy);
  padTiles(copy);
  scaleBehindFolds(copy);
  markFactors(copy);
  orderStores(copy);
  separatePositions(copy);
  return success();
}

LogicalResult split(tile::KernelOp prepared, int64_t groups, int64_t most, bool defers, OwningOpRef<ModuleOp> &out) {
  out = moduleWith(prepared);
  auto copy = only<tile::KernelOp>(out);
  if (!hasDots(copy))
    streamTiles(copy, groups);
  else if (defers)
    deferReductions(copy);
  loadWithLoops(copy);
  keepLoadsInOrder(copy);
  if (failed(subtile(copy, groups, most)))
    return failure();
  mergeEqual(copy);
  return verify(*out);
}

} // namespace heddle
