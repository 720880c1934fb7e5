//===- ManifestParts.cpp - what kernel.json and chain.json have in common ----------===//
#include "ManifestParts.h"

#include "heddle/Dialect/HW/ViewUses.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;
namespace json = llvm::json;

static std::string nameOf(Value argument) {
  auto arg = cast<BlockArgument>(argument);
  return tile::argumentName(cast<FunctionOpInterface>(arg.getOwner()->getParentOp()), arg.getArgNumber());
}

FailureOr<json::Value> cuda::manifestExpression(StringRef op, Value a, Value b) {
  FailureOr<json::Value> x = manifestExpression(a), y = manifestExpression(b);
  if (failed(x) || failed(y))
    return failure();
  return json::Value(json::Object{{"op", op}, {"a", std::move(*x)}, {"b", std::move(*y)}});
}

FailureOr<json::Value> cuda::manifestExpression(Value value) {
  if (isa<BlockArgument>(value))
    return json::Value(json::Object{{"arg", nameOf(value)}});
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    int64_t size = dim.getView().getType().getShape()[dim.getDim()];
    if (!ShapedType::isDynamic(size))
      return json::Value(json::Object{{"const", size}});
    return json::Value(json::Object{{"dim", json::Array{nameOf(dim.getView()), static_cast<int64_t>(dim.getDim())}}});
  }
  if (isa<tile::MultiprocessorsOp>(op))
    return json::Value(json::Object{{"sms", true}});
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return json::Value(json::Object{{"const", cast<IntegerAttr>(constant.getValue()).getInt()}});
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return manifestExpression(cast.getIn());
  StringRef name;
  if (isa<arith::AddIOp>(op))
    name = "add";
  else if (isa<arith::SubIOp>(op))
    name = "sub";
  else if (isa<arith::MulIOp>(op))
    name = "mul";
  else if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    name = "ceildiv";
  else if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    name = "floordiv";
  else if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    name = "mod";
  else if (isa<arith::MinUIOp, arith::MinSIOp>(op))
    name = "min";
  else if (isa<arith::MaxUIOp, arith::MaxSIOp>(op))
    name = "max";
  else
    return emitErrorOf(ErrorKind::Internal, op) << "a grid size that the manifest cannot express";
  return manifestExpression(name, op->getOperand(0), op->getOperand(1));
}

static StringRef accessOf(Value view) {
  ViewUses uses = usesOf(view);
  return uses.added || (uses.read && uses.written) ? "inout" : uses.written ? "out" : "in";
}

FailureOr<StringRef> cuda::manifestElement(Operation *op, StringRef name, Type view) {
  Type type = cast<tile::ViewType>(view).getElementType();
  if (type.isF16())
    return StringRef("f16");
  if (type.isBF16())
    return StringRef("bf16");
  if (type.isF32())
    return StringRef("f32");
  if (isa<Float8E4M3FNType>(type))
    return StringRef("e4m3");
  if (isa<Float8E5M2Type>(type))
    return StringRef("e5m2");
  if (type.isF64())
    return StringRef("f64");
  if (type.isInteger(64))
    return StringRef("i64");
  if (type.isInteger(32))
    return StringRef("i32");
  if (type.isInteger(16))
    return StringRef("i16");
  if (type.isInteger(8))
    return StringRef("i8");
  return op->emitError("expected f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i8, i16, i32 or i64 elements of view '")
         << name << "', got " << type;
}

StringRef cuda::manifestScalar(Type type) { return type.isF32() ? "f32" : type.isIndex() ? "index" : "i32"; }

LogicalResult cuda::addManifestArguments(FunctionOpInterface kernel, json::Object &manifest) {
  json::Array views, scalars;
  for (BlockArgument arg : kernel.getArguments()) {
    std::string name = nameOf(arg);
    auto view = dyn_cast<tile::ViewType>(arg.getType());
    if (!view) {
      scalars.push_back(json::Object{{"name", name}, {"type", manifestScalar(arg.getType())}});
      continue;
    }
    FailureOr<StringRef> elem = manifestElement(kernel, name, view);
    if (failed(elem))
      return failure();
    json::Array shape;
    auto names = kernel.getArgAttrOfType<ArrayAttr>(arg.getArgNumber(), "tile.dims");
    for (auto [dim, size] : llvm::enumerate(view.getShape())) {
      auto symbol = names && dim < names.size() ? dyn_cast<StringAttr>(names[dim]) : StringAttr();
      if (!ShapedType::isDynamic(size))
        shape.push_back(size);
      else if (symbol)
        shape.push_back(symbol.getValue());
      else
        shape.push_back(nullptr);
    }
    json::Object entry{{"name", name},
                       {"elem", *elem},
                       {"rank", view.getRank()},
                       {"access", accessOf(arg)},
                       {"shape", std::move(shape)}};
    if (tile::isMarkedAligned(arg))
      entry["aligned"] = true;
    if (auto multiples = kernel.getArgAttrOfType<DenseI64ArrayAttr>(arg.getArgNumber(), tile::multiplesAttr))
      entry["multiples"] = json::Array(multiples.asArrayRef());
    views.push_back(std::move(entry));
  }
  manifest["views"] = std::move(views);
  if (!scalars.empty())
    manifest["scalars"] = std::move(scalars);
  return success();
}
