//===- Tensors.cpp - the tensors of a task tree as values --------------------===//
#include "Tensors.h"

#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
namespace heddle {

SmallVector<PartDim *, 4> TensorPart::visible() {
  SmallVector<PartDim *, 4> seen;
  for (PartDim &dim : dims)
    if (!dim.hidden)
      seen.push_back(&dim);
  return seen;
}

SmallVector<const PartDim *, 4> TensorPart::visible() const {
  SmallVector<const PartDim *, 4> seen;
  for (const PartDim &dim : dims)
    if (!dim.hidden)
      seen.push_back(&dim);
  return seen;
}

bool Scalar::isBelow(int64_t count) const {
  if (constant)
    return *constant >= 0 && *constant < count;
  return bounds && bounds->smin().isNonNegative() && bounds->smax().slt(count);
}

Scalar Scalar::commonPart() const {
  if (common)
    return *common;
  if (!range)
    return *this;
  Scalar zero;
  zero.constant = 0;
  return zero;
}

PieceTerms Scalar::pieceTerms() const { return range ? PieceTerms{{range->first, range->second, 1}} : terms; }

void Scalar::setVariableOf(const Scalar &bound) {
  int64_t most = std::numeric_limits<int64_t>::max();
  if (bound.constant)
    most = std::max<int64_t>(*bound.constant, 1) - 1;
  bounds = ConstantIntRanges::fromSigned(llvm::APInt(64, 0), llvm::APInt(64, most));
}

TensorStore &Tensors::makeView(Value view, StringRef name) {
  return known.emplace_back(TensorStore{view, {}, {}, 0, name.str(), view.getLoc()});
}

TensorStore &Tensors::makeTemporary(RankedTensorType type, StringRef name, Location loc) {
  return known.emplace_back(TensorStore{{}, type, {}, static_cast<unsigned>(ranges.size()), name.str(), loc});
}

TensorPart Tensors::all(TensorStore &store) {
  TensorPart part{&store, {}, ""};
  auto view = store.view ? cast<tile::ViewType>(store.view.getType()) : tile::ViewType();
  for (auto [d, size] : llvm::enumerate(view ? view.getShape() : store.type.getShape())) {
    PartDim dim;
    dim.size = size;
    if (ShapedType::isDynamic(size))
      dim.extent = tile::DimOp::create(b, store.loc, store.view, d);
    part.dims.push_back(dim);
  }
  return part;
}

FailureOr<RankedTensorType> Tensors::typeOf(const TensorPart &part, Location loc) {
  SmallVector<int64_t> shape;
  for (const PartDim *dim : part.visible()) {
    if (ShapedType::isDynamic(dim->size))
      return emitError(loc) << "expected a part of '" << part.store->name
                            << "' whose sizes are known here, got a dimension without a block size";
    shape.push_back(dim->size);
  }
  Type element = part.store->view ? cast<tile::ViewType>(part.store->view.getType()).getElementType()
                                  : part.store->type.getElementType();
  return RankedTensorType::get(shape, element);
}

Value Tensors::index(int64_t number, Location loc) { return arith::ConstantIndexOp::create(b, loc, number); }

Value Tensors::materialise(const Scalar &scalar, Location loc) {
  if (scalar.constant)
    return index(*scalar.constant, loc);
  if (scalar.strided)
    return arith::DivUIOp::create(b, loc, scalar.strided, index(scalar.stride, loc));
  if (!scalar.value)
    emitError(loc) << "expected the variable of a range over processors of a block as the index of a piece, or in "
                      "numbers that a leaf is launched with, got a number that has to be one for the whole block";
  return scalar.value;
}

SmallVector<Value> Tensors::cornerOf(const TensorPart &part, Location loc) {
  SmallVector<Value> corner;
  for (const PartDim &dim : part.dims) {
    Value at = dim.offset;
    if (!at)
      at = index(dim.constantOffset, loc);
    else if (dim.constantOffset)
      at = arith::AddIOp::create(b, loc, at, index(dim.constantOffset, loc));
    corner.push_back(at);
  }
  return corner;
}

/// The view dimensions of the tile's; null: the last ones.
static DenseI64ArrayAttr dimsOf(const TensorPart &part, OpBuilder &b) {
  SmallVector<int64_t> dims;
  bool last = true;
  for (auto [d, dim] : llvm::enumerate(part.dims)) {
    if (!dim.hidden)
      dims.push_back(d);
    last &= dim.hidden ? dims.empty() : true;
  }
  return last ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(dims);
}

FailureOr<Value> Tensors::read(const TensorPart &part, Location loc) {
  FailureOr<RankedTensorType> type = typeOf(part, loc);
  if (failed(type))
    return failure();
  TensorStore &store = *part.store;
  DividedTile divided;
  for (const PartDim *dim : part.visible())
    divided.push_back(dim->divided);
  if (store.view) {
    Value tile = tile::LoadOp::create(b, loc, *type, store.view, cornerOf(part, loc), dimsOf(part, b), {});
    setDivided(tile, divided);
    return tile;
  }
  if (!store.current) {
    InFlightDiagnostic diag = emitError(loc) << "expected a tensor that was written, got '" << store.name << "'";
    diag.attachNote(store.loc) << "made here";
    return diag;
  }
  // What ranges around the store's making have divided, its value says; the others the part has to say.
  DividedTile own = dividedOf(store.current);
  unsigned seen = 0;
  for (auto [dim, mine] : llvm::zip(part.dims, own)) {
    auto [around, inside] = splitAt(store, mine);
    ArrayRef<Division> asked = dim.divided.by;
    if (asked.take_front(inside.size()) != ArrayRef(inside))
      return emitErrorOf(ErrorKind::Internal, loc)
             << "'" << store.name << "' is read in other pieces than it was written in"; // the dialect refuses it
    if (dim.hidden)
      continue;
    divided[seen].uniform = mine.uniform && asked.empty();
    divided[seen].by = around;
    divided[seen++].by.append(asked.begin(), asked.end());
  }
  Value value = store.current;
  bool whole = llvm::all_of(part.dims, [](const PartDim &dim) { return dim.whole; });
  if (!whole || *type != value.getType()) {
    FailureOr<Slice> slice = sliceOf(part, loc);
    if (failed(slice))
      return failure();
    value = tensor::ExtractSliceOp::create(b, loc, *type, value, ValueRange(), ValueRange(), ValueRange(),
                                           slice->offsets, slice->sizes, slice->strides);
  }
  setDivided(value, divided);
  return value;
}

/// The divisions by ranges around the store's making, and by those inside.
std::pair<SmallVector<Division, 2>, SmallVector<Division, 2>> Tensors::splitAt(const TensorStore &store,
                                                                               const Divided &dim) const {
  std::pair<SmallVector<Division, 2>, SmallVector<Division, 2>> parts;
  for (const Division &division : dim.by) {
    bool around = llvm::any_of(ArrayRef(ranges).take_front(store.depth),
                               [&](const Range &range) { return range.number == division.range; });
    (around ? parts.first : parts.second).push_back(division);
  }
  return parts;
}

FailureOr<Tensors::Slice> Tensors::sliceOf(const TensorPart &part, Location loc) {
  Slice slice;
  for (const PartDim &dim : part.dims) {
    if (dim.offset) {
      InFlightDiagnostic diag = emitError(loc)
                                << "expected a piece of '" << part.store->name
                                << "' at a place that is known here, since a block holds it, got one that depends on "
                                   "a variable";
      diag.attachNote(part.store->loc) << "the tensor";
      return diag;
    }
    slice.offsets.push_back(dim.constantOffset);
    slice.sizes.push_back(dim.size);
    slice.strides.push_back(1);
  }
  return slice;
}

LogicalResult Tensors::checkWrite(const TensorPart &part, Value value, Location loc) {
  for (auto [dim, mine] : llvm::zip(part.visible(), dividedOf(value)))
    if (!mine.uniform && splitAt(*part.store, mine).second != dim->divided.by)
      return emitError(loc) << "expected each piece of '" << part.store->name
                            << "' from the same piece of what it is computed from";
  for (const Range &range : ArrayRef(ranges).drop_front(part.store->depth))
    for (auto [variable, extent] : llvm::enumerate(range.extents)) {
      bool divides = llvm::any_of(part.dims, [&, variable = variable](const PartDim &dim) {
        return llvm::any_of(dim.divided.by, [&](const Division &division) {
          return division.range == range.number && division.variable == variable;
        });
      });
      if (extent > 1 && !divides)
        return emitError(loc) << "expected each iteration of the range around to write a piece of its own of '"
                              << part.store->name << "', got the same for every value of variable " << variable;
    }
  return success();
}

LogicalResult Tensors::write(const TensorPart &part, Value value, bool sum, Location loc) {
  if (failed(typeOf(part, loc)) || failed(checkWrite(part, value, loc)))
    return failure();
  TensorStore &store = *part.store;
  if (store.view) {
    tile::StoreOp::create(b, loc, value, store.view, cornerOf(part, loc), ValueRange(), Value(), dimsOf(part, b),
                          b.getStringAttr(sum ? "add" : "set"), DenseI64ArrayAttr());
    return success();
  }
  DividedTile divided = dividedOf(value);
  if (sum) {
    FailureOr<Value> before = read(part, loc);
    if (failed(before))
      return failure();
    bool isFloat = isa<FloatType>(store.type.getElementType());
    value = isFloat ? Value(arith::AddFOp::create(b, loc, *before, value))
                    : Value(arith::AddIOp::create(b, loc, *before, value));
    setDivided(value, divided);
  }
  bool whole = llvm::all_of(part.dims, [](const PartDim &dim) { return dim.whole; });
  if (whole && value.getType() == store.type) {
    store.current = value;
    return success();
  }
  FailureOr<Slice> slice = sliceOf(part, loc);
  if (failed(slice))
    return failure();
  DividedTile result;
  unsigned seen = 0;
  for (const PartDim &dim : part.dims)
    result.push_back(dim.hidden ? Divided() : divided[seen++]);
  if (!store.current)
    store.current = tensor::EmptyOp::create(b, loc, store.type.getShape(), store.type.getElementType());
  value = tensor::InsertSliceOp::create(b, loc, value, store.current, ValueRange(), ValueRange(), ValueRange(),
                                        slice->offsets, slice->sizes, slice->strides);
  setDivided(value, result);
  store.current = value;
  return success();
}

DividedTile Tensors::dividedOf(Value value) const {
  auto it = divisions.find(value);
  if (it != divisions.end())
    return it->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return DividedTile(type ? type.getRank() : 0);
}

void Tensors::enterRange(unsigned number, ArrayRef<int64_t> extents) {
  ranges.push_back({number, SmallVector<int64_t>(extents)});
}

void Tensors::leaveRange() {
  unsigned number = ranges.pop_back_val().number;
  for (auto &[value, tile] : divisions)
    for (Divided &dim : tile)
      llvm::erase_if(dim.by, [&](const Division &division) { return division.range == number; });
}

Tensors::State Tensors::save() const {
  State state{known.size(), {}, divisions, ranges.size()};
  for (const TensorStore &store : known)
    state.current.push_back(store.current);
  return state;
}

void Tensors::restore(const State &state) {
  while (known.size() > state.stores)
    known.pop_back();
  for (auto [store, value] : llvm::zip(known, state.current))
    store.current = value;
  divisions = state.divisions;
  ranges.truncate(state.ranges);
}

} // namespace heddle
