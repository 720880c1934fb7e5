//===- Factors.h - factors of rows that are often one -----------------------===//
#ifndef HEDDLE_DIALECT_TILE_FACTORS_H
#define HEDDLE_DIALECT_TILE_FACTORS_H

#include "mlir/Support/LLVM.h"

namespace heddle::tile {

/// On an `arith.mulf` of tiles: the operand (0 or 1) that is one in most rows, most of the time
/// (Transforms/MarkFactors.h). It says nothing about the program's meaning.
inline constexpr llvm::StringLiteral oftenOneAttr = "heddle.often_one";

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_FACTORS_H
