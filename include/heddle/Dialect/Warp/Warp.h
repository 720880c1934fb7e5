//===- Warp.h - C++ face of the warp dialect (see WarpOps.td) ------------------===//
#ifndef HEDDLE_DIALECT_WARP_WARP_H
#define HEDDLE_DIALECT_WARP_WARP_H

#include "heddle/Dialect/Tile/Tile.h"

#include "heddle/Dialect/Warp/WarpDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Warp/WarpTypes.h.inc"
#define GET_OP_CLASSES
#include "heddle/Dialect/Warp/WarpOps.h.inc"

#endif // HEDDLE_DIALECT_WARP_WARP_H
