//===- ArgumentNames.h - what arguments of kernels and chains, and sizes, are called ------===//
#ifndef HEDDLE_DIALECT_TILE_ARGUMENTNAMES_H
#define HEDDLE_DIALECT_TILE_ARGUMENTNAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace heddle::tile {

/// `tile.name`, or "arg0", "arg1", ...
std::string argumentName(mlir::FunctionOpInterface kernel, unsigned argument);
/// The name of a size of a view in `tile.dims`, or "<argument>.<dim>".
std::string dimensionName(mlir::FunctionOpInterface kernel, unsigned argument, int64_t dim);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_ARGUMENTNAMES_H
