//===- VerifyInstructions.h - the rules of the instruction level -------------===//
//
// What:   checks a tile kernel whose operations are what warp groups issue (Transforms/SelectInstructions.h):
//         - dots are warp.dot, in a form of the target; the other operations of the warp dialect are views of shared
//           memory, reads and stages: what rings and waits consist of comes with a schedule;
//         - a tile that the copy engine brings is used as what lies in shared memory, and no other one is;
//         - an operation takes register tiles of its own group only.
// Where:  compileKernel, behind selectInstructions; heddle-opt --heddle-verify-instructions, for `--emit=instructions`.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_VERIFYINSTRUCTIONS_H
#define HEDDLE_ANALYSIS_VERIFYINSTRUCTIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Fails, with one located error, at the first operation of `kernel` that breaks a rule.
mlir::LogicalResult verifyInstructions(tile::KernelOp kernel);

/// Fails at `dot`, of the tile or the warp dialect, unless its target takes operands and has results of these types.
mlir::LogicalResult verifyDotTypes(mlir::Operation *dot, mlir::Type operand, mlir::RankedTensorType result);

/// The same for sizes as well.
mlir::LogicalResult verifyDotForm(mlir::Operation *dot, mlir::Type operand, mlir::RankedTensorType result,
                                  int64_t contraction);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_VERIFYINSTRUCTIONS_H
