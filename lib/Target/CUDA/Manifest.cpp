//===- Manifest.cpp - kernel.json (docs/Manifest.md) ----------------------------===//
// Everything is derived from the hw.kernel: grid expressions from the backward slice of tile.grid, parameters from
// Params.
#include "KernelEmitter.h"
#include "Prepare/Prepare.h"
#include "heddle/Dialect/HW/ViewUses.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Target/CUDA/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;
namespace json = llvm::json;

namespace {

class ManifestEmitter {
public:
  explicit ManifestEmitter(hw::KernelOp kernel) : kernel(kernel), params(kernel) {}
  FailureOr<json::Object> run();

private:
  FailureOr<json::Value> expression(Value value);
  FailureOr<json::Value> binary(StringRef op, Value a, Value b);
  FailureOr<StringRef> elementName(unsigned arg, Type type);
  json::Object tensorMap(const Param &param);
  std::string name(unsigned arg) { return Params::argName(kernel, arg); }

  hw::KernelOp kernel;
  Params params;
};

FailureOr<json::Value> ManifestEmitter::binary(StringRef op, Value a, Value b) {
  FailureOr<json::Value> x = expression(a), y = expression(b);
  if (failed(x) || failed(y))
    return failure();
  return json::Value(json::Object{{"op", op}, {"a", std::move(*x)}, {"b", std::move(*y)}});
}

FailureOr<json::Value> ManifestEmitter::expression(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return json::Value(json::Object{{"arg", name(arg.getArgNumber())}});
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    int64_t size = dim.getView().getType().getShape()[dim.getDim()];
    if (!ShapedType::isDynamic(size))
      return json::Value(json::Object{{"const", size}});
    auto view = cast<BlockArgument>(dim.getView());
    return json::Value(
        json::Object{{"dim", json::Array{name(view.getArgNumber()), static_cast<int64_t>(dim.getDim())}}});
  }
  if (isa<tile::MultiprocessorsOp>(op))
    return json::Value(json::Object{{"sms", true}});
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return json::Value(json::Object{{"const", cast<IntegerAttr>(constant.getValue()).getInt()}});
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return expression(cast.getIn());
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
  return binary(name, op->getOperand(0), op->getOperand(1));
}

static StringRef accessOf(Value view) {
  ViewUses uses = usesOf(view);
  return uses.added || (uses.read && uses.written) ? "inout" : uses.written ? "out" : "in";
}

FailureOr<StringRef> ManifestEmitter::elementName(unsigned arg, Type type) {
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
  return kernel.emitError("expected f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i8, i16, i32 or i64 elements of view '")
         << name(arg) << "', got " << type;
}

json::Object ManifestEmitter::tensorMap(const Param &param) {
  hw::TensorMapOp map = param.map;
  json::Array box, dims; // outermost first
  for (int64_t extent : llvm::reverse(map.getBox()))
    box.push_back(extent);
  json::Object object{{"kind", "tensormap"},
                      {"view", name(param.arg)},
                      {"box", std::move(box)},
                      {"swizzle", static_cast<int64_t>(map.getSwizzle())}};
  if (int64_t split = map.getSplit()) {
    int64_t rank = map.getView().getType().getRank();
    dims.push_back(json::Object{{"dim", rank - 1}, {"chunks", split}});
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      dims.push_back(json::Object{{"dim", dim}});
    dims.push_back(json::Object{{"dim", rank - 1}, {"chunk", split}});
    object["dims"] = std::move(dims);
  }
  return object;
}

FailureOr<json::Object> ManifestEmitter::run() {
  json::Array views, scalars, list, grid;
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    auto view = dyn_cast<tile::ViewType>(arg.getType());
    if (!view) {
      scalars.push_back(json::Object{{"name", name(arg.getArgNumber())},
                                     {"type", arg.getType().isF32()     ? "f32"
                                              : arg.getType().isIndex() ? "index"
                                                                        : "i32"}});
      continue;
    }
    FailureOr<StringRef> elem = elementName(arg.getArgNumber(), view.getElementType());
    if (failed(elem))
      return failure();
    json::Array shape;
    for (auto [dim, size] : llvm::enumerate(view.getShape())) {
      std::string symbol = Params::dimName(kernel, arg.getArgNumber(), dim);
      if (!ShapedType::isDynamic(size))
        shape.push_back(size);
      else if (symbol.empty())
        shape.push_back(nullptr);
      else
        shape.push_back(symbol);
    }
    views.push_back(json::Object{{"name", name(arg.getArgNumber())},
                                 {"elem", *elem},
                                 {"rank", view.getRank()},
                                 {"access", accessOf(arg)},
                                 {"shape", std::move(shape)}});
  }
  for (const Param &param : params.list()) {
    switch (param.kind) {
    case ParamKind::TensorMap: list.push_back(tensorMap(param)); break;
    case ParamKind::Pointer: list.push_back(json::Object{{"kind", "pointer"}, {"view", name(param.arg)}}); break;
    case ParamKind::Size:
    case ParamKind::Stride:
      list.push_back(json::Object{
          {"kind", param.kind == ParamKind::Size ? "size" : "stride"}, {"view", name(param.arg)}, {"dim", param.dim}});
      break;
    case ParamKind::Scalar: {
      Type type = kernel.getArgumentTypes()[param.arg];
      list.push_back(json::Object{{"kind", "scalar"},
                                  {"name", name(param.arg)},
                                  {"type", type.isF32()     ? "f32"
                                           : type.isIndex() ? "index"
                                                            : "i32"}});
      break;
    }
    }
  }
  auto gridOp = *kernel.getBody().getOps<tile::GridOp>().begin();
  SmallVector<Value> sizes(gridOp.getSizes());
  if (gridOp.getRaster()) { // launched with dimensions 0 and 1 as one
    FailureOr<json::Value> both = binary("mul", sizes[0], sizes[1]);
    if (failed(both))
      return failure();
    grid.push_back(std::move(*both));
    sizes.erase(sizes.begin(), sizes.begin() + 2);
  }
  for (Value size : sizes) {
    FailureOr<json::Value> value = expression(size);
    if (failed(value))
      return failure();
    grid.push_back(std::move(*value));
  }
  int64_t cluster = tile::clusterOf(kernel);
  if (cluster > 1) // its blocks lie beside each other along dimension x
    grid[0] = json::Object{{"op", "mul"}, {"a", std::move(grid[0])}, {"b", json::Object{{"const", cluster}}}};
  while (grid.size() < 3)
    grid.push_back(json::Object{{"const", 1}});

  json::Object object{{"version", 1},
                      {"kernel", kernel.getSymName()},
                      {"block", static_cast<int64_t>(kernel.getThreads())},
                      {"smem", static_cast<int64_t>(kernel.getSmemBytes())},
                      {"grid", std::move(grid)},
                      {"views", std::move(views)},
                      {"params", std::move(list)}};
  if (cluster > 1)
    object["cluster"] = json::Array{cluster, 1, 1};
  if (!scalars.empty())
    object["scalars"] = std::move(scalars);
  return object;
}

} // namespace

FailureOr<std::string> heddle::emitManifest(hw::KernelOp kernel, StringRef text) {
  OwningOpRef<hw::KernelOp> prepared = cuda::prepare(kernel);
  FailureOr<json::Object> object = ManifestEmitter(*prepared).run();
  if (failed(object))
    return failure();
  (*object)["mark"] =
      text.substr(text.rfind(cuda::markPrefix)).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return llvm::formatv("{0:2}\n", json::Value(std::move(*object))).str();
}
