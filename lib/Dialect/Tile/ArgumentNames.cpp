//===- ArgumentNames.cpp - what arguments of kernels and chains, and sizes, are called ----===//
#include "heddle/Dialect/Tile/ArgumentNames.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace heddle;

std::string tile::argumentName(FunctionOpInterface kernel, unsigned argument) {
  auto name = kernel.getArgAttrOfType<StringAttr>(argument, "tile.name");
  return name ? name.str() : "arg" + std::to_string(argument);
}

std::string tile::dimensionName(FunctionOpInterface kernel, unsigned argument, int64_t dim) {
  if (auto names = kernel.getArgAttrOfType<ArrayAttr>(argument, "tile.dims"))
    if (dim < static_cast<int64_t>(names.size()))
      if (auto name = dyn_cast<StringAttr>(names[dim]))
        return name.str();
  return argumentName(kernel, argument) + "." + std::to_string(dim);
}
