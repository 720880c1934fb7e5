//===- SourceNames.h - the names that a program's values have in its text --------===//
//
// MLIR forgets what a value was called. Here the parser's record of definitions puts each name around the location of
// its operation or block argument (NameLoc); every pass that clones an operation or keeps its location keeps the name,
// and the printed kernel is written in the words of the program.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_SOURCENAMES_H
#define HEDDLE_DIALECT_TILE_SOURCENAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace heddle::tile {

/// Parses the text and notes the names of its values. Null, with diagnostics, where it is wrong.
mlir::OwningOpRef<mlir::ModuleOp> parseWithNames(const llvm::SourceMgr &sources, mlir::MLIRContext *context);

/// Before `root` is printed with locations: notes the names of block arguments where the text would lose them.
/// parseWithNames reads them.
void noteNames(mlir::Operation *root);

/// What `value` is called in the program's text; empty: it has a number there, or comes from elsewhere.
llvm::StringRef sourceName(mlir::Value value);

/// Gives block argument `to` the name of `from`.
void keepName(mlir::Value from, mlir::Value to);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_SOURCENAMES_H
