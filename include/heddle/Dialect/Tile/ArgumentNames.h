//===- ArgumentNames.h - what arguments of kernels and chains, and sizes, are called ------===//
#ifndef HEDDLE_DIALECT_TILE_ARGUMENTNAMES_H
#define HEDDLE_DIALECT_TILE_ARGUMENTNAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>
#include <string>

namespace heddle::tile {

/// `tile.name`, or "arg0", "arg1", ...
std::string argumentName(mlir::FunctionOpInterface kernel, unsigned argument);
/// The name of a size of a view in `tile.dims`, or "<argument>.<dim>".
std::string dimensionName(mlir::FunctionOpInterface kernel, unsigned argument, int64_t dim);

/// On a view: for each of its sizes the name of the scalar argument that it is, or nothing where it is none. Who
/// launches the kernel keeps to it: a Triton kernel's views end where its masks say.
inline constexpr llvm::StringLiteral sizeArgumentsAttr = "tile.size_arguments";
/// The argument that is the size of `argument` along `dim`; none: no argument is.
std::optional<unsigned> sizeArgument(mlir::FunctionOpInterface kernel, unsigned argument, int64_t dim);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_ARGUMENTNAMES_H
