//===- Warnings.h - what a program loses by how it is written -----------------===//
#ifndef HEDDLE_LIB_PIPELINES_WARNINGS_H
#define HEDDLE_LIB_PIPELINES_WARNINGS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Says which accesses go without the copy engine though their tiles are made for it: their author may know what the
/// compiler cannot.
void warnOfAlignment(tile::KernelOp kernel);

/// Says of the product of `prepared` that grew most, by a quarter at least, what it was in `whole`: sizes that products
/// lack are filled up. Not of rows that are too few for a group, which decoding has.
void warnOfPadding(tile::KernelOp whole, tile::KernelOp prepared);

/// Says which tiles of `prepared` threads copy in loops with products: products take larger ones, with zeros behind.
void warnOfFilledBlocks(tile::KernelOp prepared);

/// Says which innermost loops have products and no schedule: in those the program's order is what runs.
void warnOfOrder(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_WARNINGS_H
