//===- Parameters.h - sizes that may be chosen -----------------------------===//
//
// What:   the parameters of a tile program (`tile.param`), and the program with others of their values.
// Where:  before everything else, so that no other pass knows of parameters.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TRANSFORMS_PARAMETERS_H
#define HEDDLE_TRANSFORMS_PARAMETERS_H

#include "heddle/Dialect/Tile/Tile.h"

#include <map>
#include <string>

namespace heddle {

using ParameterValues = std::map<std::string, int64_t>;

/// The parameters of `kernel` with the values that it is written with.
ParameterValues parametersOf(tile::KernelOp kernel);

/// Gives every parameter of `kernel` its value in `values`, or the one it is written with, as a constant; tiles take
/// the sizes that follow. Errors, located: a parameter that the kernel does not have, a value that is no choice, a
/// dimension that would follow two values, an operation whose tile cannot follow.
mlir::LogicalResult setParameters(tile::KernelOp kernel, const ParameterValues &values);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_PARAMETERS_H
