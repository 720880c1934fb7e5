//===- Bindings.cpp - Sizes, scalars and tensors for a kernel's arguments -===//
#include "heddle/Simulator/Functional/Bindings.h"

#include "HostValues.h"
#include "heddle/Dialect/HW/ViewUses.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Simulator/Functional/Evaluate.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

static std::string quoted(const std::string &text) { return "'" + text + "'"; }

/// "'A', 'B'" or "none".
template <typename Names> static std::string listNames(const Names &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + quoted(name);
  return text.empty() ? "none" : text;
}

/// Where a kernel stands in its file, for errors about its arguments.
static SourceLoc placeOf(Operation *op) {
  SourceLoc place;
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    place.file = loc.getFilename().str();
    place.line = static_cast<int>(loc.getLine());
    place.col = static_cast<int>(loc.getColumn());
  }
  return place;
}

namespace {
/// One bindKernel call.
class Binder {
public:
  Binder(FunctionOpInterface kernel, const BindingRequest &request) : kernel(kernel), request(request) {}
  Result<Bindings> run();

private:
  Error error(std::string text) const { return userError(std::move(text), placeOf(kernel)); }
  Status nameArguments();
  Status readDefaults();
  Status readShapes();
  Status bindSize(unsigned argument, int64_t dim, int64_t staticSize, int64_t &size);
  Status bindTensor(unsigned argument, tile::ViewType view);
  Status bindScalar(unsigned argument, Type type);
  Status checkRequest() const;
  void findUses();
  void fill();
  std::string dimName(unsigned argument, int64_t dim) { return tile::dimensionName(kernel, argument, dim); }

  FunctionOpInterface kernel;
  const BindingRequest &request;
  Bindings result;
  std::map<std::string, int64_t> defaults;
  /// Sizes that the shapes of the request give, and the argument that has each.
  std::map<std::string, std::pair<int64_t, std::string>> shaped;
  /// Which argument fixed a name first, for conflicts.
  std::map<std::string, std::string> origin;
  std::set<std::string> scalarNames;
  int64_t bytes = 0;
};
} // namespace

Status Binder::nameArguments() {
  std::set<std::string> seen;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    BoundArgument argument;
    argument.name = tile::argumentName(kernel, i);
    if (!seen.insert(argument.name).second)
      return error("expected distinct argument names, got " + quoted(argument.name) + " twice");
    result.arguments.push_back(std::move(argument));
  }
  return Status::success();
}

Status Binder::readDefaults() {
  Attribute attr = kernel->getAttr("tile.default_dims");
  if (!attr)
    return Status::success();
  auto dict = dyn_cast<DictionaryAttr>(attr);
  if (!dict)
    return error("expected tile.default_dims to be a dictionary of integers");
  for (NamedAttribute entry : dict) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    std::optional<int64_t> value = number ? number.getValue().trySExtValue() : std::nullopt;
    if (!value)
      return error("expected tile.default_dims to be a dictionary of integers, got another value for " +
                   quoted(entry.getName().str()));
    defaults[entry.getName().str()] = *value;
  }
  return Status::success();
}

Status Binder::readShapes() {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    const std::string &owner = result.arguments[i].name;
    auto view = dyn_cast<tile::ViewType>(type);
    auto given = request.shapes.find(owner);
    if (!view || given == request.shapes.end())
      continue;
    if (given->second.size() != view.getShape().size())
      return error("expected " + std::to_string(view.getShape().size()) + " dimensions for " + quoted(owner) +
                   ", got " + std::to_string(given->second.size()));
    for (auto [d, size] : llvm::enumerate(given->second)) {
      auto [known, isNew] = shaped.insert({dimName(i, d), {size, owner}});
      if (!isNew && known->second.first != size)
        return error("expected equal sizes for dimension " + quoted(known->first) + ", got " +
                     std::to_string(known->second.first) + " in " + quoted(known->second.second) + " and " +
                     std::to_string(size) + " in " + quoted(owner));
    }
  }
  return Status::success();
}

Status Binder::bindSize(unsigned argument, int64_t dim, int64_t staticSize, int64_t &size) {
  std::string name = dimName(argument, dim);
  const std::string &owner = result.arguments[argument].name;
  auto requested = request.dims.find(name);
  auto byDefault = defaults.find(name);
  auto byShape = shaped.find(name);
  auto differs = [&](const std::string &from, int64_t got) {
    return error("expected dimension " + quoted(name) + " to be " + std::to_string(size) + " as in the " + from +
                 ", got " + std::to_string(got));
  };
  if (!ShapedType::isDynamic(staticSize)) {
    size = staticSize;
    if (requested != request.dims.end() && requested->second != size)
      return differs("type of " + quoted(owner), requested->second);
    if (byShape != shaped.end() && byShape->second.first != size)
      return differs("type of " + quoted(owner), byShape->second.first);
  } else if (byShape != shaped.end()) {
    size = byShape->second.first;
    if (requested != request.dims.end() && requested->second != size)
      return differs("values of " + quoted(byShape->second.second), requested->second);
  } else if (requested != request.dims.end()) {
    size = requested->second;
  } else if (byDefault != defaults.end()) {
    size = byDefault->second;
  } else if (auto known = result.dims.find(name); known != result.dims.end()) {
    size = known->second;
  } else {
    return error("expected a size for dimension " + quoted(name) + " of " + quoted(owner) + ", got none");
  }
  if (size < 0 || size > std::numeric_limits<int32_t>::max())
    return error("expected dimension " + quoted(name) + " to be from 0 to 2147483647, got " + std::to_string(size));
  auto [known, isNew] = result.dims.insert({name, size});
  if (isNew)
    origin[name] = owner;
  else if (known->second != size)
    return error("expected equal sizes for dimension " + quoted(name) + ", got " + std::to_string(known->second) +
                 " in " + quoted(origin[name]) + " and " + std::to_string(size) + " in " + quoted(owner));
  return Status::success();
}

Status Binder::bindTensor(unsigned argument, tile::ViewType view) {
  std::optional<ElementKind> kind = elementKindOf(view.getElementType());
  if (!kind)
    return error("expected a view of a supported element type for " + quoted(result.arguments[argument].name) +
                 ", got " + debugString(view.getElementType()));
  SmallVector<int64_t> sizes;
  // Tensors count with their padded rows, in floating point so that nothing overflows.
  double tensorBytes = static_cast<double>(elementBytes(*kind));
  for (auto [dim, staticSize] : llvm::enumerate(view.getShape())) {
    int64_t size = 0;
    if (Status status = bindSize(argument, dim, staticSize, size); !status)
      return status;
    if (int64_t divisor = tile::sizeDivisor(kernel.getArgument(argument), dim); size % divisor)
      return error("expected dimension " + quoted(dimName(argument, dim)) + " to be a multiple of " +
                   std::to_string(divisor) + ", got " + std::to_string(size));
    sizes.push_back(size);
    tensorBytes *= static_cast<double>(size);
  }
  if (tensorBytes + static_cast<double>(bytes) > static_cast<double>(request.byteLimit))
    return Error(ErrorKind::Limit,
                 "expected tensors of at most " + std::to_string(request.byteLimit) + " bytes in all, got more with " +
                     quoted(result.arguments[argument].name),
                 placeOf(kernel));
  bytes += static_cast<int64_t>(tensorBytes);
  result.arguments[argument].tensor = static_cast<int>(result.tensors.size());
  const std::string &name = result.arguments[argument].name;
  if (auto given = request.strides.find(name); given != request.strides.end())
    result.tensors.emplace_back(name, *kind, sizes, given->second);
  else
    result.tensors.emplace_back(name, *kind, sizes);
  return Status::success();
}

Status Binder::bindScalar(unsigned argument, Type type) {
  BoundArgument &bound = result.arguments[argument];
  scalarNames.insert(bound.name);
  std::optional<ElementKind> kind = elementKindOf(type);
  if (!kind)
    return error("expected a scalar of a supported type for " + quoted(bound.name));
  double value;
  if (auto given = request.scalars.find(bound.name); given != request.scalars.end()) {
    value = given->second;
  } else if (Attribute attr = kernel.getArgAttr(argument, "tile.default")) {
    auto number = dyn_cast<TypedAttr>(attr);
    if (!number || number.getType() != type || !isa<FloatAttr, IntegerAttr>(attr))
      return error("expected tile.default of " + quoted(bound.name) + " to be a number of the argument's type");
    value = isa<FloatAttr>(attr) ? cast<FloatAttr>(attr).getValueAsDouble()
                                 : static_cast<double>(cast<IntegerAttr>(attr).getInt());
  } else {
    return error("expected a value for scalar " + quoted(bound.name) + ", got none");
  }
  if (!isFloatKind(*kind) && (value != std::floor(value) || std::fabs(value) >= 0x1p53 ||
                              static_cast<double>(wrapTo(*kind, static_cast<int64_t>(value))) != value))
    return error("expected scalar " + quoted(bound.name) + " to be an " + elementKindName(*kind) + ", got " +
                 std::to_string(value));
  bound.scalar = TileValue::scalar(*kind, value);
  return Status::success();
}

Status Binder::checkRequest() const {
  for (const auto &[name, size] : request.dims)
    if (!result.dims.count(name)) {
      std::vector<std::string> known;
      for (const auto &entry : result.dims)
        known.push_back(entry.first);
      return error("expected one of the dimensions " + listNames(known) + ", got " + quoted(name));
    }
  for (const auto &[name, value] : request.scalars)
    if (!scalarNames.count(name))
      return error(
          (scalarNames.empty() ? "expected no scalars" : "expected one of the scalars " + listNames(scalarNames)) +
          ", got " + quoted(name));
  return Status::success();
}

/// Which views are read, written and added to.
void Binder::findUses() {
  for (auto [argument, bound] : llvm::zip(kernel.getArguments(), result.arguments)) {
    if (bound.tensor < 0) // a scalar, which may be a coordinate of a store
      continue;
    ViewUses uses = usesOf(argument);
    bound.isRead = uses.read;
    bound.isWritten = uses.written;
    bound.isAdded = uses.added;
  }
}

void Binder::fill() {
  for (auto [i, argument] : llvm::enumerate(result.arguments)) {
    if (argument.tensor < 0)
      continue;
    HostTensor &tensor = result.tensors[argument.tensor];
    if (!argument.isWritten || argument.isRead)
      tensor.fillRandom(request.seed * 1000003 + i);
    else if (argument.isAdded)
      tensor.fillZero();
    else
      tensor.fillPoison();
  }
}

Result<Bindings> Binder::run() {
  if (Status status = nameArguments(); !status)
    return status.error();
  if (Status status = readDefaults(); !status)
    return status.error();
  if (Status status = readShapes(); !status)
    return status.error();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    if (Status status = view ? bindTensor(i, view) : bindScalar(i, type); !status)
      return status.error();
  }
  if (Status status = checkRequest(); !status)
    return status.error();
  findUses();
  fill();
  return std::move(result);
}

Result<Bindings> heddle::sim::bindKernel(FunctionOpInterface kernel, const BindingRequest &request) {
  return Binder(kernel, request).run();
}

std::vector<unsigned> Bindings::outputs() const {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (arguments[i].isWritten)
      result.push_back(i);
  return result;
}

Bindings Bindings::widened() const {
  Bindings result = *this;
  for (HostTensor &tensor : result.tensors)
    tensor = tensor.widened();
  for (BoundArgument &argument : result.arguments)
    if (argument.tensor < 0 && argument.scalar.isFloat())
      argument.scalar = TileValue::scalar(ElementKind::F64, argument.scalar.floatAt(0));
  return result;
}

void Bindings::startBounds() {
  bounds.assign(tensors.size(), HostTensor());
  for (unsigned i : outputs())
    bounds[arguments[i].tensor] = unwrittenBounds(*tensorOf(i));
}

HostTensor heddle::sim::unwrittenBounds(const HostTensor &tensor) {
  HostTensor bound = tensor.alike(ElementKind::F64);
  for (int64_t e = 0, count = bound.numElements(); e < count; ++e)
    bound.setFloat(bound.positionOf(e), -1.0);
  return bound;
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

LogicalResult heddle::sim::evaluateOnHost(Value value, const Bindings &bindings, DenseMap<Value, TileValue> &known) {
  if (known.count(value))
    return success();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    known[value] = bindings.arguments[argument.getArgNumber()].scalar;
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    const HostTensor *tensor = bindings.tensorOf(cast<BlockArgument>(dim.getView()).getArgNumber());
    known[value] = TileValue::index(tensor->sizes()[dim.getDim()]);
    return success();
  }
  if (auto param = dyn_cast<tile::ParamOp>(op)) {
    known[value] = TileValue::index(param.getValue());
    return success();
  }
  if (isa<tile::MultiprocessorsOp>(op)) {
    known[value] = TileValue::index(simulatedMultiprocessors);
    return success();
  }
  SmallVector<TileValue> operands, results;
  for (Value operand : op->getOperands()) {
    if (failed(evaluateOnHost(operand, bindings, known)))
      return failure();
    operands.push_back(known[operand]);
  }
  if (failed(evaluate(op, operands, results)))
    return failure();
  known[value] = results[0];
  return success();
}

FailureOr<std::array<int64_t, 3>> heddle::sim::evaluateGrid(FunctionOpInterface kernel, const Bindings &bindings) {
  std::array<int64_t, 3> sizes = {1, 1, 1};
  constexpr std::array<int64_t, 3> limits = {2147483647, 65535, 65535};
  auto grids = kernel.getFunctionBody().getOps<tile::GridOp>();
  if (grids.empty())
    return kernel.emitOpError("expected one tile.grid, got none");
  tile::GridOp grid = *grids.begin();
  DenseMap<Value, TileValue> known;
  for (auto [i, size] : llvm::enumerate(grid.getSizes())) {
    if (failed(evaluateOnHost(size, bindings, known)))
      return failure();
    sizes[i] = known[size].toIndex();
    if (sizes[i] < 0 || sizes[i] > limits[i])
      return grid.emitOpError("expected size ") << i << " from 0 to " << limits[i] << ", got " << sizes[i];
  }
  return sizes;
}
