//===- Call.h - what a function from outside means on tiles ----------------===//
//
// What:   the body of a tile.call, which is written for one element, as operations on whole tiles.
// Where:  whoever executes programs: interpreter, simulator, error bounds.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_CALL_H
#define HEDDLE_DIALECT_TILE_CALL_H

#include "heddle/Dialect/Tile/Tile.h"

#include <memory>
#include <vector>

namespace heddle::tile {

/// The classes of the machine file in which a call's cost may be stated.
llvm::ArrayRef<llvm::StringRef> callCostClasses();

/// What stands behind a tile.call: a body on scalars, or the list that it is kept as.
mlir::ParseResult parseMeaning(mlir::OpAsmParser &parser, mlir::ArrayAttr &meaning);
void printMeaning(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr meaning);

/// While one lives, bodies that are parsed live on: the parser's record of names points into them.
class ParsedBodies {
public:
  ParsedBodies();
  ~ParsedBodies();
  ParsedBodies(const ParsedBodies &) = delete;

private:
  std::vector<std::unique_ptr<mlir::Region>> bodies, *around;
};

/// Fills `block`, which is in no program: an argument for each operand, then the operations. Gives the result.
mlir::Value bodyOnTiles(CallOp call, mlir::Block &block);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_CALL_H
