//===- SimplifyWaits.h - removes synchronisation that does nothing ----------===//
#ifndef HEDDLE_TRANSFORMS_SIMPLIFYWAITS_H
#define HEDDLE_TRANSFORMS_SIMPLIFYWAITS_H

#include "heddle/Dialect/Warp/Warp.h"

namespace heddle {

/// Removes the waits, fences and barriers that `findIdleSynchronisation` finds. Register tiles that an idle dot_wait
/// names move to the wait that retired them (so that printing still pins them there); where that wait is out of reach,
/// the idle one stays. Returns how many were removed. The program must pass the protocol verifier, and passes it
/// afterwards.
int64_t simplifyWaits(warp::KernelOp kernel);

/// Makes `--heddle-simplify-waits` known to MLIR's pass registry.
void registerSimplifyWaitsPass();

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SIMPLIFYWAITS_H
