//===- LayoutRules.h - which layout each operand of each op must have -----------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_LAYOUTRULES_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_LAYOUTRULES_H

#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace heddle {

/// Results and tile operands hold corresponding elements.
bool isElementwise(mlir::Operation *op);
/// Whether operands and result have to have one layout.
bool keepsLayout(mlir::Operation *op);

/// Of the row numbers of a gather whose result has `layout`: each thread has those of its rows.
LinearLayout rowsLayout(const LinearLayout &layout);

/// How the threads of a group divide what they copy: 16 bytes of a row each.
LinearLayout copiedLayout(warp::CopyOp copy);

/// Bytes of an element in memory; of truth values and indices as they are kept.
int64_t elementBytes(mlir::Type type);

/// The layout in which the threads hold every part of a tile's size `part` alike (empty: the whole), for values that no
/// dot decides.
LinearLayout defaultLayout(mlir::RankedTensorType type, int warps, llvm::ArrayRef<int64_t> part = {});

/// True where the rows of what is read are columns in memory.
bool readsColumns(warp::ReadOp read);

/// How threads hold a tile of `shape` which is in memory and is transposed, or read by columns, in `group`: of as many
/// neighbouring rows as elements share a word, so that words of columns are made in a thread. Of tiles that are read by
/// columns two lanes share a row: reads of words of many columns, and writes of rows, then meet in few banks.
struct WordShape {
  int64_t rows = 1;
  int64_t lanes = 0; ///< of blockedLayout
};
WordShape wordShapeOf(warp::GroupOp group, llvm::ArrayRef<int64_t> shape);

/// How many neighbouring rows of a tile of `shape` repeat one row of another in `group` (numbers that several rows
/// share: packed weights); a power of two. Threads that have several of them read what they repeat once.
int64_t repeatedRows(warp::GroupOp group, llvm::ArrayRef<int64_t> shape);

/// How threads hold a tile whose rows are named, of a gather or a store behind products, so that each accesses 16
/// bytes of a row at once: lanes of a row, which share 16 bytes of it in the layout of a product, exchange them.
/// Nothing where they do already, or the view does not promise the alignment.
std::optional<LinearLayout> layoutOfAccess(mlir::Operation *access, mlir::Value tile);

/// The layout that an op needs of a tile operand, given the types of its results (and of the values it is joined
/// with); nothing if it takes any layout.
std::optional<LinearLayout> neededLayout(mlir::OpOperand &operand);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_LAYOUTRULES_H
