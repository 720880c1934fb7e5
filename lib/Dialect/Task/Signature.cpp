//===- Signature.cpp - see Signature.h ---------------------------------------===//
#include "heddle/Dialect/Task/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace heddle::task {

SmallVector<Type> argumentTypes(TaskOp task) {
  SmallVector<Type> types;
  for (Attribute attr : task.getParameters()) {
    auto parameter = cast<ParameterAttr>(attr);
    SmallVector<int64_t> shape;
    for (Attribute dim : parameter.isTensor() ? parameter.getDims().getValue() : ArrayRef<Attribute>()) {
      auto number = dyn_cast<IntegerAttr>(dim);
      shape.push_back(number ? number.getInt() : ShapedType::kDynamic);
    }
    types.push_back(parameter.isTensor() ? tile::ViewType::get(task.getContext(), shape, parameter.getType())
                                         : parameter.getType());
  }
  return types;
}

SmallVector<Attribute> argumentAttributes(TaskOp task) {
  Builder b(task.getContext());
  SmallVector<Attribute> attributes;
  for (Attribute attr : task.getParameters()) {
    auto parameter = cast<ParameterAttr>(attr);
    SmallVector<NamedAttribute> list{b.getNamedAttr("tile.name", parameter.getName())};
    SmallVector<Attribute> names;
    for (Attribute dim : parameter.isTensor() ? parameter.getDims().getValue() : ArrayRef<Attribute>()) {
      // A dimension that is a number has a name of its own.
      std::string own = parameter.getName().str() + "_dim" + std::to_string(names.size());
      names.push_back(isa<StringAttr>(dim) ? dim : b.getStringAttr(own));
    }
    if (parameter.isTensor())
      list.push_back(b.getNamedAttr("tile.dims", b.getArrayAttr(names)));
    else if (parameter.getByDefault())
      list.push_back(b.getNamedAttr("tile.default", parameter.getByDefault()));
    attributes.push_back(b.getDictionaryAttr(list));
  }
  return attributes;
}

OwningOpRef<ModuleOp> signatureKernel(TaskOp task) {
  Location loc = task.getLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<Type> types = argumentTypes(task);
  auto kernel = tile::KernelOp::create(b, loc, task.getSymName(), b.getFunctionType(types, {}),
                                       b.getArrayAttr(argumentAttributes(task)), ArrayAttr());
  if (Attribute sizes = task->getAttr("tile.default_dims"))
    kernel->setAttr("tile.default_dims", sizes);
  Block &block = kernel.getBody().emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), loc));
  b.setInsertionPointToEnd(&block);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  tile::GridOp::create(b, loc, ValueRange{one}, IntegerAttr());
  for (auto [argument, attr] : llvm::zip(block.getArguments(), task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    if (!parameter.isTensor())
      continue;
    auto element = RankedTensorType::get({1}, parameter.getType());
    SmallVector<Value> corner(parameter.getRank(), zero);
    Value value = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    if (parameter.isRead())
      value = tile::LoadOp::create(b, loc, element, argument, corner, DenseI64ArrayAttr(), DenseI64ArrayAttr());
    if (parameter.isWritten())
      tile::StoreOp::create(b, loc, value, argument, corner, ValueRange(), Value(), DenseI64ArrayAttr(),
                            b.getStringAttr(parameter.getPrivilege() == Privilege::Reduce ? "add" : "set"),
                            DenseI64ArrayAttr());
  }
  tile::ReturnOp::create(b, loc);
  return module;
}

} // namespace heddle::task
