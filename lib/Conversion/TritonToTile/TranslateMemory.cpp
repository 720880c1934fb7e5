//===- TranslateMemory.cpp - accesses of views ------------------------------===//
//
// Masks:  the box stands for bounds; a guard moves the box outside of its view; what else the mask says about lanes,
//         and a value for masked lanes that is not zero, is a choice after the load.
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/Constants.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

/// A coordinate outside of every view, whatever is added to it.
constexpr int64_t outside = -(int64_t(1) << 30);

/// Puts `builder` in front of the loops around it of which `view` takes nothing: what the program has divided before
/// them, in other types, need not be divided in them.
void Translator::leaveLoops(const View &view, Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto made = dyn_cast<scf::ForOp>(builder.getInsertionBlock()->getParentOp());
  auto isKnown = [&](const Poly &poly) {
    return values.algebra.allSymbols(poly, [&](const SymbolInfo &symbol) { return values.isOutside(symbol, loop); });
  };
  if (!loop || !made || view.address || !isKnown(view.offset) ||
      llvm::any_of(view.dims, [&](const ViewDim &dim) { return !isKnown(dim.size) || !isKnown(dim.stride); }))
    return;
  builder.setInsertionPoint(made);
  leaveLoops(view, loop);
}

FailureOr<Value> Translator::windowOf(const Access &access) {
  const View &view = conversion.views[access.view];
  OpBuilder::InsertionGuard guard(builder);
  leaveLoops(view, access.op);
  Operation *op = access.op;
  Location loc = op->getLoc();
  bool known = true;
  auto value = [&](const Poly &poly) {
    Value made = scalarOf(poly, loc);
    known &= static_cast<bool>(made);
    return made;
  };
  SmallVector<Value> sizes, strides;
  for (const ViewDim &dim : view.dims) {
    sizes.push_back(dim.unbounded ? index(std::numeric_limits<int32_t>::max(), loc) : value(dim.size));
    strides.push_back(value(dim.stride));
  }
  strides.pop_back();
  Value at = addresses.lookup(view.address), offset = wideOf(view.offset, loc);
  if (!known || !offset || (view.address && !at))
    return op->emitError("the address uses a value that has no translation");
  if (!at || !tile::isZero(offset)) {
    int64_t size = std::max<int64_t>(1, view.element.getIntOrFloatBitWidth() / 8);
    Value bytes = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(size));
    offset = arith::MulIOp::create(builder, loc, offset, bytes);
    at = at ? Value(arith::AddIOp::create(builder, loc, at, offset)) : offset;
  }
  SmallVector<int64_t> shape(view.dims.size(), ShapedType::kDynamic);
  auto window = tile::WindowOp::create(builder, loc, tile::ViewType::get(builder.getContext(), shape, view.element),
                                       kernel.getBody().getArgument(access.view), at, sizes, strides);
  if (alignmentOf(conversion, view).needs.empty())
    window->setAttr(tile::alignedAttr, builder.getUnitAttr());
  return window.getResult();
}

FailureOr<Translator::Placed> Translator::place(const Access &access, ArrayRef<int64_t> shape) {
  Location loc = access.op->getLoc();
  const Box &box = access.box;
  Placed placed;
  placed.view = kernel.getBody().getArgument(access.view);
  if (conversion.views[access.view].isWindow) {
    FailureOr<Value> window = windowOf(access);
    if (failed(window))
      return failure();
    placed.view = *window;
  }
  for (const Poly &coordinate : box.coordinates) {
    Value value = scalarOf(coordinate, loc);
    if (!value)
      return access.op->emitError("the address uses a value that has no translation: '")
             << values.algebra.text(coordinate) << "'";
    // As it was taken to be when the box was found (docs/Triton.md): the copy engine may store there.
    if (Operation *made = value.getDefiningOp(); made && values.algebra.isNotNegative(coordinate))
      made->setAttr(nonNegativeAttr, builder.getUnitAttr());
    placed.coordinates.push_back(value);
  }
  for (const Atom &guard : box.guards) {
    Value holds = conditionOf(guard, loc);
    if (!holds)
      return access.op->emitError("the mask uses a value that has no translation: '")
             << values.algebra.text(guard) << "'";
    placed.coordinates[0] = arith::SelectOp::create(builder, loc, holds, placed.coordinates[0], index(outside, loc));
  }
  for (auto [i, dim] : llvm::enumerate(box.tileDims))
    if (dim >= 0 && shape[dim] != 1) {
      placed.dims.push_back(i);
      placed.tile.push_back(dim);
      placed.shape.push_back(shape[dim]);
    }
  int64_t rank = box.dims.size();
  if (placed.dims.empty()) {
    placed.dims.push_back(rank - 1);
    placed.tile.push_back(-1);
    placed.shape.push_back(1);
  } else if (rows && placed.dims.size() == 1 && placed.dims[0] > 0) {
    placed.dims.insert(placed.dims.begin(), placed.dims[0] - 1);
    placed.tile.insert(placed.tile.begin(), -1);
    placed.shape.insert(placed.shape.begin(), 1);
  }
  return placed;
}

/// Whether the tile's dimensions, two of them then (isReached), change places in the view.
static bool isTransposed(ArrayRef<int64_t> dims) { return !llvm::is_sorted(dims); }

/// Tensor maps of strides that are no multiples of 16 bytes do not exist: such accesses are ordinary ones.
void Translator::markDirect(Operation *made, const Access &access) {
  if (alignmentOf(conversion, conversion.views[access.view]).isImpossible)
    made->setAttr(directAttr, builder.getUnitAttr());
}

/// The rows that a tile names; those that the mask leaves out are nowhere.
FailureOr<Value> Translator::rowsOf(const Access &access, ArrayRef<int64_t> shape) {
  Operation *op = access.op;
  const Box &box = access.box;
  SmallVector<int64_t> along(shape.size(), 1);
  along[box.rowsDim] = shape[box.rowsDim];
  Value positions = tileOf(box.rows, along, op->getLoc());
  if (!positions)
    return op->emitError("the address uses a value that has no translation: '") << values.algebra.text(box.rows) << "'";
  for (const Atom &atom : box.rowAtoms) {
    Value holds = tileCondition(atom, along, op->getLoc());
    if (!holds)
      return op->emitError("the mask uses a value that has no translation: '") << values.algebra.text(atom) << "'";
    Value none = arith::ConstantOp::create(
        builder, op->getLoc(), DenseElementsAttr::get(cast<ShapedType>(positions.getType()), APInt(32, -1, true)));
    positions = arith::SelectOp::create(builder, op->getLoc(), holds, positions, none);
  }
  return asColumn(positions);
}

/// In a kernel of rows, elements at named positions, and those along a view's first dimension, are the rows of a tile
/// of rank 1: `tile` of one row, as this one.
Value Translator::asColumn(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!rows || type.getRank() != 2 || type.getDimSize(0) != 1)
    return tile;
  SmallVector<ReassociationIndices> all{{0, 1}};
  return tensor::CollapseShapeOp::create(
      builder, tile.getLoc(), RankedTensorType::get(type.getShape().drop_front(), type.getElementType()), tile, all);
}

/// `tile`, of the extents `shape`, with each element repeated as `box` says, where it has more than one along a
/// dimension. `shape` follows.
Value Translator::spread(Value tile, const Box &box, std::vector<int64_t> &shape, Location loc) {
  for (auto [dim, by] : box.spread) {
    if (shape[dim] == 1)
      continue;
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t axis = type.getRank() - llvm::count_if(ArrayRef(shape).drop_front(dim), [](int64_t n) { return n != 1; });
    SmallVector<int64_t> apart(type.getShape()), joined(apart);
    apart.insert(apart.begin() + axis + 1, by);
    joined[axis] *= by;
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d < static_cast<int64_t>(apart.size()); ++d)
      d == axis + 1 ? groups.back().push_back(d) : groups.push_back({d});
    tile = tile::BroadcastOp::create(builder, loc, RankedTensorType::get(apart, type.getElementType()), tile,
                                     static_cast<uint64_t>(axis + 1));
    tile = tensor::CollapseShapeOp::create(builder, loc, RankedTensorType::get(joined, type.getElementType()), tile,
                                           groups);
    shape[dim] *= by;
  }
  return tile;
}

/// The element of a tile of one, as scalars that tiles give are.
Value Translator::onlyOf(Value tile, Location loc) {
  if (rows)
    return tile;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  return tile::ReduceOp::create(builder, loc, scalarTile(element), tile::nameOf(tile::FoldKind::Max), tile,
                                uint64_t(0));
}

/// What `load` gives is `value`; `chooses`: where its mask holds, else its other value.
LogicalResult Translator::define(LoadOp load, Value value, bool chooses) {
  Location loc = load.getLoc();
  if (load.getMask() && load.getOther() && chooses) {
    FailureOr<SmallVector<Value>> in = translated(load, {load.getMask(), load.getOther()});
    if (failed(in))
      return failure();
    value = arith::SelectOp::create(builder, loc, asTile((*in)[0], loc), value, asTile((*in)[1], loc));
  }
  map[load] = value;
  return success();
}

/// A float of a tensor that the kernel writes: a tile of one element, which is ordered as tiles are.
LogicalResult Translator::translateElement(LoadOp load, const Access &access, const Placed &placed) {
  Location loc = load.getLoc();
  auto one = RankedTensorType::get({1}, conversion.views[access.view].element);
  Value value = tile::LoadOp::create(builder, loc, one, placed.view, placed.coordinates,
                                     builder.getDenseI64ArrayAttr(ArrayRef(placed.dims).take_back()), nullptr);
  return define(load, onlyOf(value, loc), load.getOther() && !tile::isZero(load.getOther()));
}

LogicalResult Translator::translateLoad(Operation *op) {
  const Access &access = *accesses.lookup(op);
  Location loc = op->getLoc();
  const Box &box = access.box;
  Type type = op->getResult(0).getType();
  auto tile = dyn_cast<RankedTensorType>(type);
  ArrayRef<int64_t> shape = tile ? tile.getShape() : ArrayRef<int64_t>();
  if (box.kind == AccessKind::Elements)
    return loadElements(cast<LoadOp>(op), access);
  std::vector<int64_t> inBox = lanesOf(box, shape);
  FailureOr<Placed> placed = place(access, inBox);
  if (failed(placed))
    return failure();
  Type element = conversion.views[access.view].element;
  Value other, mask;
  if (auto load = dyn_cast<LoadOp>(op))
    other = load.getOther(), mask = load.getMask();
  if (!tile && isScalarOfTile(op->getResult(0)) && conversion.views[access.view].isStored)
    return translateElement(cast<LoadOp>(op), access, *placed);
  if (!tile) {
    Value scalar = tile::ElementOp::create(builder, loc, element, placed->view, placed->coordinates);
    if (loadedAddress(op->getResult(0)))
      addresses[op->getResult(0)] = scalar;
    if (isPointer(type))
      return success();
    if (mask && other && !tile::isZero(other)) {
      FailureOr<SmallVector<Value>> in = translated(op, {mask, other});
      if (failed(in))
        return failure();
      if (isNumber(type))
        scalar = asIndex(scalar, loc);
      map[op->getResult(0)] = arith::SelectOp::create(builder, loc, (*in)[0], scalar, (*in)[1]);
      return success();
    }
    map[op->getResult(0)] = isNumber(type) ? asIndex(scalar, loc) : scalar;
    return success();
  }
  bool transposed = isTransposed(placed->tile);
  auto loaded = RankedTensorType::get(placed->shape, element);
  Value value;
  auto dims = builder.getDenseI64ArrayAttr(placed->dims);
  if (box.kind == AccessKind::Rows) {
    FailureOr<Value> positions = rowsOf(access, inBox);
    if (failed(positions))
      return failure();
    if (cast<RankedTensorType>(positions->getType()).getRank() < loaded.getRank() && rows) {
      loaded = RankedTensorType::get(loaded.getShape().drop_front(), element);
      dims = builder.getDenseI64ArrayAttr(ArrayRef(placed->dims).drop_front());
    }
    value = tile::GatherOp::create(builder, loc, loaded, placed->view, placed->coordinates, *positions, dims);
  } else {
    auto load = tile::LoadOp::create(builder, loc, loaded, placed->view, placed->coordinates, dims, nullptr);
    markDirect(load, access);
    value = load;
  }
  if (transposed) {
    auto turned = RankedTensorType::get({placed->shape[1], placed->shape[0]}, element);
    value = tile::TransposeOp::create(builder, loc, turned, value);
  }
  if (int64_t extent = placed->shape.back(); rows && cast<RankedTensorType>(value.getType()).getRank() == 1)
    value = tile::BroadcastOp::create(builder, loc, RankedTensorType::get({1, extent}, element), value, uint64_t(0));
  for (int64_t dim : box.repeated)
    inBox[dim] = 1;
  value = broadcast(spread(value, box, inBox, loc), inBox, shape, loc);
  if (auto load = dyn_cast<LoadOp>(op))
    return define(load, value, !box.laneAtoms.empty() || (other && !tile::isZero(other)));
  map[op->getResult(0)] = value;
  return success();
}

LogicalResult Translator::translateStore(Operation *op) {
  const Access &access = *accesses.lookup(op);
  Location loc = op->getLoc();
  Value source = op->getOperand(1);
  auto tile = dyn_cast<RankedTensorType>(source.getType());
  if (access.box.kind == AccessKind::Elements)
    return storeElements(op, access);
  FailureOr<Placed> placed = place(access, tile ? tile.getShape() : ArrayRef<int64_t>());
  FailureOr<SmallVector<Value>> in = translated(op, {source});
  if (failed(placed) || failed(in))
    return failure();
  bool transposed = isTransposed(placed->tile);
  Type element = conversion.views[access.view].element;
  Value value = (*in)[0];
  value = asWritten(value, element, loc);
  // A scalar is stored as a tile of one element.
  auto one = RankedTensorType::get({1}, getElementTypeOrSelf(value.getType()));
  if (!isa<RankedTensorType>(value.getType()))
    value = tensor::SplatOp::create(builder, loc, value, one);
  else if (cast<RankedTensorType>(value.getType()).getRank() == 0)
    value = tile::BroadcastOp::create(builder, loc, one, value, uint64_t(0));
  if (transposed)
    value = tile::TransposeOp::create(builder, loc, RankedTensorType::get(placed->shape, element), value);
  auto add = isa<AtomicRMWOp>(op) ? builder.getStringAttr("add") : builder.getStringAttr("set");
  SmallVector<Value> below;
  for (auto [dim, along] : llvm::zip_equal(placed->dims, placed->tile)) {
    auto limit = access.box.below.find(along);
    if (access.box.below.empty())
      break;
    if (limit == access.box.below.end()) {
      auto window = placed->view.getDefiningOp<tile::WindowOp>();
      below.push_back(window ? window.getSizes()[dim]
                             : tile::DimOp::create(builder, loc, placed->view, static_cast<uint64_t>(dim)));
      continue;
    }
    Value lanes = scalarOf(limit->second, loc);
    if (!lanes)
      return op->emitError("the mask uses a value that has no translation: '")
             << values.algebra.text(limit->second) << "'";
    below.push_back(arith::AddIOp::create(builder, loc, placed->coordinates[dim], lanes));
  }
  FailureOr<Value> positions = Value();
  if (access.box.kind == AccessKind::Rows)
    positions = rowsOf(access, tile.getShape());
  if (failed(positions))
    return failure();
  bool isColumn = access.box.kind == AccessKind::Rows || placed->dims.size() == 1;
  if (Value column = isColumn ? asColumn(value) : value; column != value) {
    value = column;
    if (placed->dims.size() == 2)
      placed->dims.erase(placed->dims.begin());
  }
  auto store = tile::StoreOp::create(builder, loc, value, placed->view, placed->coordinates, below, *positions,
                                     builder.getDenseI64ArrayAttr(placed->dims), add, nullptr);
  markDirect(store, access);
  return success();
}

} // namespace heddle::triton
