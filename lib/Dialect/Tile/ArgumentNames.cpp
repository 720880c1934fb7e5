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

std::optional<unsigned> tile::sizeArgument(FunctionOpInterface kernel, unsigned argument, int64_t dim) {
  auto names = kernel.getArgAttrOfType<ArrayAttr>(argument, sizeArgumentsAttr);
  auto name = names && dim < static_cast<int64_t>(names.size()) ? dyn_cast<StringAttr>(names[dim]) : StringAttr();
  for (unsigned i = 0; name && i < kernel.getNumArguments(); ++i)
    if (kernel.getArgumentTypes()[i].isIndex() && argumentName(kernel, i) == name.getValue())
      return i;
  return std::nullopt;
}
