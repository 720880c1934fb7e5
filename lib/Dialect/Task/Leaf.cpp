//===- Leaf.cpp - see Leaf.h -------------------------------------------------===//
#include "heddle/Dialect/Task/Leaf.h"

#include "heddle/Dialect/Tile/Resize.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
namespace heddle::task {

LogicalResult verifyShapes(Operation *at, TaskOp task, Shapes shapes) {
  llvm::StringMap<std::pair<int64_t, StringRef>> known; // size of a name, and the parameter that gave it
  for (auto [shape, attr] : llvm::zip_equal(shapes, task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    StringRef owner = parameter.getName();
    for (auto [d, size] : llvm::enumerate(shape)) {
      auto name = dyn_cast<StringAttr>(parameter.getDims()[d]);
      int64_t wanted = name ? 0 : cast<IntegerAttr>(parameter.getDims()[d]).getInt();
      if (!name && size != wanted)
        return at->emitOpError("expected dimension ")
               << d << " of '" << owner << "' to be " << wanted << ", got " << size;
      if (!name)
        continue;
      auto [it, isNew] = known.try_emplace(name, size, owner);
      if (it->second.first != size)
        return at->emitOpError("expected one size for dimension ")
               << name << ", got " << it->second.first << " in '" << it->second.second << "' and " << size << " in '"
               << owner << "'";
    }
  }
  return success();
}

LogicalResult resizeLeaf(VariantOp leaf, TaskOp task, Shapes shapes) {
  SmallVector<tile::SizedDimension> sized;
  Block &body = leaf.getBody().front();
  auto state = [&](Value tile, ParameterAttr parameter, ArrayRef<int64_t> shape) {
    for (auto [d, size] : llvm::enumerate(shape))
      if (auto name = dyn_cast<StringAttr>(parameter.getDims()[d]))
        sized.push_back({tile, static_cast<unsigned>(d), name, size});
  };
  auto returned = body.getTerminator()->operand_begin();
  for (auto [argument, shape, attr] : llvm::zip_equal(body.getArguments(), shapes, task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    state(argument, parameter, shape);
    if (parameter.isTensor() && parameter.isWritten()) // need not be computed from any argument
      state(*returned++, parameter, shape);
  }
  if (failed(tile::resizeTiles(leaf, sized)))
    return failure();
  for (Operation &op : body)
    if (failed(verify(&op)))
      return failure();
  return success();
}

} // namespace heddle::task
