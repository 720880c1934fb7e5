//===- Supported.h - what the lowering takes -------------------------------===//
//
// What:   refuses, at the place in the program, what no later step can lower: before anything is scheduled, so that no
//         search precedes the refusal. The tile dialect and the sequential interpreter take more (docs/TileDialect.md).
// Where:  compileKernel, first.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_SUPPORTED_H
#define HEDDLE_ANALYSIS_SUPPORTED_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Fails, with one located error, at the first operation of `kernel` that cannot be lowered, or that is wrong in every
/// run.
mlir::LogicalResult verifySupported(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_SUPPORTED_H
