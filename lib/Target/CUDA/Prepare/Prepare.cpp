//===- Prepare.cpp - see Prepare.h ----------------------------------------------===//
#include "Prepare.h"

#include "Fold.h"
#include "Hoist.h"
#include "MaskSums.h"
#include "RingState.h"
#include "ScalarsFirst.h"
#include "SplitLoops.h"

using namespace mlir;
using namespace heddle;

OwningOpRef<hw::KernelOp> cuda::prepare(hw::KernelOp kernel) {
  OwningOpRef<hw::KernelOp> copy = cast<hw::KernelOp>(kernel->clone());
  advanceRings(*copy);
  addInMasks(*copy);
  splitAtMasks(*copy);
  foldScalars(*copy);
  hoistDivisions(*copy);
  moveScalarsFirst(*copy);
  return copy;
}
