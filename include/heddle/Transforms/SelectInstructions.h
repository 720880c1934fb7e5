//===- SelectInstructions.h - tile operations to what a warp group issues --===//
#ifndef HEDDLE_TRANSFORMS_SELECTINSTRUCTIONS_H
#define HEDDLE_TRANSFORMS_SELECTINSTRUCTIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// What the flags of selectInstructions decided, of a kernel that has such tiles.
struct SelectionChoices {
  bool outerOperands = false; ///< left operands that are computed outside their products' loops
  bool threadCopies = false;  ///< tiles that threads can copy to shared memory
};

/// Decides where each tile lives and rewrites the sub-tiled `kernel` in place to the operations that a warp group
/// issues: tiles loaded by the copy engine live in shared memory (`warp.loaded`), everything else in registers; dots
/// become `warp.dot`, register uses of shared-memory tiles get a `warp.read`. A register tile read transposed or as a
/// right operand is put there by its group (`warp.stage`); with `stageOuter` so is a left operand that is computed
/// outside the dot's loop, which would take registers throughout it. What threads load in a scheduled loop for a stage
/// alone they copy there with `threadCopies` (`heddle.copied_by_threads`), where they can. What holds of the result:
/// Analysis/VerifyInstructions.h.
/// Errors: transposes of register tiles other than 16-bit, operand types without a tensor-core form.
mlir::FailureOr<SelectionChoices> selectInstructions(tile::KernelOp kernel, bool stageOuter = true,
                                                     bool threadCopies = true);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SELECTINSTRUCTIONS_H
