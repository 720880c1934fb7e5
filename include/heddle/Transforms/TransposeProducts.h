//===- TransposeProducts.h - which operand of a product registers give -------===//
#ifndef HEDDLE_TRANSFORMS_TRANSPOSEPRODUCTS_H
#define HEDDLE_TRANSFORMS_TRANSPOSEPRODUCTS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Computes products transposed whose right operand threads have to compute or to turn, and whose left operand the
/// tensor core reads as it was loaded. Sums stay transposed through loops; tile.transpose gives what is behind them.
void transposeProducts(tile::KernelOp kernel);

/// Whether there are such products.
bool hasProductsToTranspose(tile::KernelOp kernel);

/// Computes the other right operands that are made of tiles which lie along the contraction as these lie.
void transposeComputedOperands(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_TRANSPOSEPRODUCTS_H
