//===- Warnings.h - what a program loses by how it is written -----------------===//
#ifndef HEDDLE_LIB_PIPELINES_WARNINGS_H
#define HEDDLE_LIB_PIPELINES_WARNINGS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Says which accesses go without the copy engine though their tiles are made for it: their author may know what the
/// compiler cannot.
void warnOfAlignment(tile::KernelOp kernel);

/// Says which innermost loops have products and no schedule: in those the program's order is what runs.
void warnOfOrder(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_WARNINGS_H
