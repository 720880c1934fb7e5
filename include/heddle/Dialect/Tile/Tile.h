//===- Tile.h - C++ face of the tile dialect (see TileOps.td) ------------------===//
#ifndef HEDDLE_DIALECT_TILE_TILE_H
#define HEDDLE_DIALECT_TILE_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "heddle/Dialect/Tile/TileDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Tile/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "heddle/Dialect/Tile/TileOps.h.inc"

#endif // HEDDLE_DIALECT_TILE_TILE_H
