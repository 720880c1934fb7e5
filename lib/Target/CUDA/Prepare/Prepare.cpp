//===- Prepare.cpp - see Prepare.h ----------------------------------------------===//
#include "Prepare.h"

#include "Drain.h"
#include "Fold.h"
#include "Hoist.h"
#include "MaskSums.h"
#include "Residency.h"
#include "RingState.h"
#include "ScalarsFirst.h"
#include "SplitLoops.h"
#include "Stores.h"

using namespace mlir;
using namespace heddle;

OwningOpRef<hw::KernelOp> cuda::prepare(hw::KernelOp kernel) {
  OwningOpRef<hw::KernelOp> copy = cast<hw::KernelOp>(kernel->clone());
  advanceRings(*copy);
  addInMasks(*copy);
  splitAtMasks(*copy);
  drainBeforeLoops(*copy);
  foldScalars(*copy);
  hoistDivisions(*copy);
  moveScalarsFirst(*copy);
  chooseStores(*copy);
  chooseResidency(*copy);
  return copy;
}
