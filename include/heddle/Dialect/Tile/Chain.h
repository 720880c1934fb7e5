//===- Chain.h - C++ face of chains of kernels (see ChainOps.td) ---------------===//
#ifndef HEDDLE_DIALECT_TILE_CHAIN_H
#define HEDDLE_DIALECT_TILE_CHAIN_H

#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/SymbolTable.h"

#define GET_OP_CLASSES
#include "heddle/Dialect/Tile/ChainOps.h.inc"

namespace heddle::tile {

/// The kernel that a launch of a verified module runs.
KernelOp kernelOf(LaunchOp launch);
/// The kernels that `chain` launches, once each, in the order of their first launches.
llvm::SmallVector<KernelOp> kernelsOf(ChainOp chain);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_CHAIN_H
