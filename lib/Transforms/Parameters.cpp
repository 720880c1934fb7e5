//===- Parameters.cpp - sizes that may be chosen ---------------------------===//
//
// What:      see the header.
// Algorithm: `tile.sizes` names the parameter of some dimensions; Dialect/Tile/Resize.h gives all equal ones theirs.
// Verifies:  the result, by the verifiers of its operations.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/Parameters.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Resize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace heddle {

ParameterValues parametersOf(tile::KernelOp kernel) {
  ParameterValues values;
  kernel.walk([&](tile::ParamOp param) { values[param.getParam().str()] = param.getValue(); });
  return values;
}

/// "64, 128".
static std::string listOf(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// Gives every dimension that `tile.sizes` names after a parameter its size; numbers there stay as they are.
static LogicalResult resize(tile::KernelOp kernel, const ParameterValues &values) {
  SmallVector<tile::SizedDimension> sized;
  kernel.walk([&](Operation *op) {
    auto sizes = op->getAttrOfType<ArrayAttr>(tile::sizesAttr);
    for (auto [d, size] : llvm::enumerate(sizes ? sizes.getValue() : ArrayRef<Attribute>())) {
      Value tile = op->getResult(0);
      if (auto name = dyn_cast<StringAttr>(size))
        sized.push_back({tile, static_cast<unsigned>(d), name, values.at(name.str())});
      else
        sized.push_back({tile, static_cast<unsigned>(d), StringAttr::get(op->getContext(), "tile.sizes"),
                         cast<RankedTensorType>(tile.getType()).getDimSize(d)});
    }
  });
  return tile::resizeTiles(kernel, sized);
}

/// The value of every parameter of `kernel`. Errors: see the header.
static LogicalResult resolve(tile::KernelOp kernel, const ParameterValues &given, ParameterValues &values) {
  values = parametersOf(kernel);
  for (auto &[name, value] : given) {
    if (values.count(name))
      continue;
    std::string known;
    for (auto &[other, own] : values)
      known += (known.empty() ? "'" : ", '") + other + "'";
    return kernel.emitOpError("expected a parameter of the kernel")
           << (known.empty() ? ", which has none" : " (" + known + ")") << ", got '" << name << "'";
  }
  WalkResult walk = kernel.walk([&](tile::ParamOp param) {
    auto it = given.find(param.getParam().str());
    if (it == given.end())
      return WalkResult::advance();
    values[it->first] = it->second;
    std::optional<ArrayRef<int64_t>> choices = param.getChoices();
    if (choices ? llvm::is_contained(*choices, it->second) : it->second >= 1 && it->second <= tile::maxTileElements)
      return WalkResult::advance();
    param.emitOpError("expected parameter ")
        << param.getParam() << " to be "
        << (choices ? "one of " + listOf(*choices) : "from 1 to " + std::to_string(tile::maxTileElements)) << ", got "
        << it->second;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult setParameters(tile::KernelOp kernel, const ParameterValues &given) {
  ParameterValues values;
  if (failed(resolve(kernel, given, values)))
    return failure();
  if (values.empty())
    return success();
  if (failed(resize(kernel, values)))
    return failure();
  kernel.walk([](Operation *op) { op->removeAttr(tile::sizesAttr); });
  kernel.walk([&](tile::ParamOp param) {
    OpBuilder b(param);
    param.replaceAllUsesWith(
        arith::ConstantIndexOp::create(b, param.getLoc(), values.at(param.getParam().str())).getResult());
    param.erase();
  });
  return verify(kernel);
}

} // namespace heddle
