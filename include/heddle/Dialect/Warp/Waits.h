//===- Waits.h - from waits that name operations to counts ---------------------===//
//
// A warp program names what a dot_wait waits for: tokens and tiles of dots. The tensor core's instruction has a count:
// how many of a group's youngest dots may stay in flight. This is the one place that derives it. The simulator runs
// waits with these counts, since the hardware does.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_WARP_WAITS_H
#define HEDDLE_DIALECT_WARP_WAITS_H

#include "heddle/Dialect/Warp/Warp.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace heddle::warp {

/// How many dots each dot_wait leaves in flight; none: on no path is a dot in flight that it names.
using WaitCounts = llvm::DenseMap<mlir::Operation *, std::optional<int64_t>>;
WaitCounts countWaits(KernelOp kernel);

/// Removes waits that name nothing in flight, and tokens that no wait names.
void dropVacantWaits(KernelOp kernel);

/// Gives every dot_wait its count and removes all tokens.
void lowerTokens(KernelOp kernel);

/// `dot` with a token.
DotOp withToken(DotOp dot);

void registerLowerTokensPass();

} // namespace heddle::warp

#endif // HEDDLE_DIALECT_WARP_WAITS_H
