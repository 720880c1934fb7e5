//===- HW.h - C++ face of the hw dialect (see HWOps.td) ------------------------===//
#ifndef HEDDLE_DIALECT_HW_HW_H
#define HEDDLE_DIALECT_HW_HW_H

#include "heddle/Dialect/Tile/Tile.h"

#include "heddle/Dialect/HW/HWDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "heddle/Dialect/HW/HWAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/HW/HWTypes.h.inc"
#define GET_OP_CLASSES
#include "heddle/Dialect/HW/HWOps.h.inc"

namespace heddle::hw {
/// On a kernel: its text ends a block of instructions at every product and every wait for products.
inline constexpr llvm::StringLiteral endBlocksAttr = "heddle.end_blocks";
/// On a kernel: threads read their coordinates again where a branch around a mask needs them.
inline constexpr llvm::StringLiteral recomputeAttr = "heddle.recompute";
/// On a kernel: its text computes element-wise operations on large tiles slice by slice; "behind": those outside of
/// innermost loops.
inline constexpr llvm::StringLiteral slicesAttr = "heddle.slices";
/// On a kernel: no product runs where a loop with products begins.
inline constexpr llvm::StringLiteral drainsAttr = "heddle.drains";
/// On a kernel: lanes that hold a row of 16-bit elements exchange words before all ordinary stores; "never": no lanes.
inline constexpr llvm::StringLiteral turnedStoresAttr = "heddle.turned_stores";
/// On a kernel: warps store fragments of 16-bit elements to shared memory by stmatrix.
inline constexpr llvm::StringLiteral matrixStoresAttr = "heddle.matrix_stores";
/// On a kernel: an i64, thread blocks that share a multiprocessor.
inline constexpr llvm::StringLiteral blocksAttr = "heddle.blocks";
/// On a kernel: roles that share a function run one instance of it, which takes their number as an argument.
inline constexpr llvm::StringLiteral oneCodeAttr = "heddle.one_code";
} // namespace heddle::hw

#endif // HEDDLE_DIALECT_HW_HW_H
