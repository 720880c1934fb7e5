//===- TileOps.cpp - verifiers of the tile dialect's operations ------------===//
#include "Verify.h"
#include "heddle/Dialect/Tile/Call.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle::tile;

#define GET_OP_CLASSES
#include "heddle/Dialect/Tile/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

/// Reports the first value under `value` that the host cannot compute, or success. Runs before dominance is verified,
/// so a value may be its own operand here.
static LogicalResult verifyHostComputable(Operation *op, Value value) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Operation *def = v.getDefiningOp();
    if (!def) {
      if (v.getType().isIndex() || v.getType().isInteger(32))
        continue;
      return op->emitOpError("expected sizes computed from tile.dim, integer arguments and constants");
    }
    if (isa<DimOp, MultiprocessorsOp, ParamOp, arith::ConstantOp>(def))
      continue;
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CeilDivUIOp, arith::CeilDivSIOp, arith::DivUIOp,
             arith::DivSIOp, arith::RemUIOp, arith::RemSIOp, arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MaxSIOp, arith::IndexCastOp, arith::FloorDivSIOp>(def)) {
      InFlightDiagnostic diag = op->emitOpError("expected sizes the host can compute (tile.dim, integer arith), got ")
                                << def->getName();
      diag.attachNote(def->getLoc()) << "computed here";
      return diag;
    }
    work.append(def->operand_begin(), def->operand_end());
  }
  return success();
}

/// Operations of `value` written out as one expression, which the manifest does; a value used twice counts twice. More
/// than `maxGridOperations` when it is nested deeper than that.
constexpr int64_t maxGridOperations = 1000;
static int64_t writtenOut(Value value, DenseMap<Value, int64_t> &known, int64_t depth = 0) {
  Operation *def = value.getDefiningOp();
  if (!def || depth > maxGridOperations)
    return def ? maxGridOperations + 1 : 1;
  auto [at, isNew] = known.try_emplace(value, 1); // a cycle ends here; the dominance check reports it
  if (!isNew)
    return at->second;
  int64_t sum = 1;
  for (Value operand : def->getOperands())
    sum = std::min(sum + writtenOut(operand, known, depth + 1), maxGridOperations + 1);
  return known[value] = sum;
}

LogicalResult heddle::tile::verifyHostSizes(Operation *op, ValueRange sizes) {
  for (Value size : sizes)
    if (failed(verifyHostComputable(op, size)))
      return failure();
  DenseMap<Value, int64_t> known;
  for (Value size : sizes)
    if (writtenOut(size, known) > maxGridOperations)
      return op->emitOpError("expected sizes of at most ")
             << maxGridOperations << " operations when written out, got more";
  return success();
}

LogicalResult GridOp::verify() {
  if (Operation *parent = (*this)->getParentOp(); !isa<FunctionOpInterface>(parent))
    return emitOpError("expected a place at the top of the kernel's body, got one in ") << parent->getName();
  if (getSizes().empty() || getSizes().size() > 3)
    return emitOpError("expected one to three sizes, got ") << getSizes().size();
  // Bounded so that a band's programs stay below 2^31 with the largest dimension 1.
  if (int64_t raster = getRaster().value_or(1); raster < 1 || raster > mostRaster)
    return emitOpError("expected raster from 1 to ") << mostRaster << ", got " << raster;
  if (getRaster() && getSizes().size() < 2)
    return emitOpError("expected at least two grid sizes with raster, got ") << getSizes().size();
  return verifyHostSizes(*this, getSizes());
}

// TableGen's accessors of I64Attr give uint64_t; as written, a number may be negative.

template <typename Op> static LogicalResult verifyGridDimension(Op op) {
  int64_t dim = op.getDim();
  if (dim < 0 || dim > 2)
    return op.emitOpError("expected a grid dimension 0, 1 or 2, got ") << dim;
  return success();
}

LogicalResult ProgramIdOp::verify() { return verifyGridDimension(*this); }
LogicalResult NumProgramsOp::verify() { return verifyGridDimension(*this); }

/// What is computed from it ends in the grid: nothing else uses a host value.
LogicalResult MultiprocessorsOp::verify() {
  SmallVector<Operation *> work{*this};
  DenseSet<Operation *> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (isa<GridOp>(user) || !seen.insert(user).second)
        continue;
      if (user->getNumRegions() || user->use_empty())
        return (emitOpError("expected uses that compute sizes of the grid only, got ") << user->getName())
                   .attachNote(user->getLoc())
               << "used here";
      work.push_back(user);
    }
  return success();
}

LogicalResult ParamOp::verify() {
  if (!isIdentifier(getParam()))
    return emitOpError("expected a name that is a C identifier and no keyword, got '") << getParam() << "'";
  auto isSize = [](int64_t n) { return n >= 1 && n <= maxTileElements; };
  int64_t value = getValue();
  if (!isSize(value))
    return emitOpError("expected a value from 1 to ") << maxTileElements << ", got " << value;
  std::optional<ArrayRef<int64_t>> choices = getChoices();
  if (!choices)
    return success();
  for (int64_t choice : *choices)
    if (!isSize(choice))
      return emitOpError("expected a value from 1 to ") << maxTileElements << ", got " << choice;
  if (!llvm::is_contained(*choices, value))
    return emitOpError("expected its own value ") << value << " among the choices, got none like it";
  return success();
}

/// Tools bind views, and descriptors are built, per kernel argument.
static LogicalResult verifyViewIsArgument(Operation *op, Value view) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || !isa_and_nonnull<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return op->emitOpError("expected a view that is an argument of the kernel");
  return success();
}

LogicalResult WindowOp::verify() {
  if (failed(verifyViewIsArgument(*this, getMemory())))
    return failure();
  ViewType memory = getMemory().getType(), result = getResult().getType();
  if (memory.getRank() != 1 || memory.getElementType() != result.getElementType())
    return emitOpError("expected memory of rank 1 and element type ") << result.getElementType() << ", got " << memory;
  if (!llvm::all_of(result.getShape(), ShapedType::isDynamic))
    return emitOpError("expected a result without static sizes, got ") << result;
  int64_t rank = result.getRank(), sizes = getSizes().size(), strides = getStrides().size();
  if (sizes != rank || strides != rank - 1)
    return emitOpError("expected ") << rank << " sizes and " << rank - 1 << " strides, got " << sizes << " and "
                                    << strides;
  return success();
}

LogicalResult DimOp::verify() {
  if (failed(verifyViewIsArgument(*this, getView())))
    return failure();
  int64_t rank = getView().getType().getRank(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("expected a dimension of at least 0 and below the view's rank ") << rank << ", got " << dim;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The common rules of load and store: a kernel's view, index count, element type, dims ascending and in range.
static LogicalResult verifyAccess(Operation *op, Value source, RankedTensorType tile, size_t numIndices,
                                  std::optional<ArrayRef<int64_t>> dims, std::optional<ArrayRef<int64_t>> extent) {
  auto view = cast<ViewType>(source.getType());
  if (!source.getDefiningOp<WindowOp>() && failed(verifyViewIsArgument(op, source)))
    return failure();
  if (static_cast<int64_t>(numIndices) != view.getRank())
    return op->emitOpError("expected ") << view.getRank() << " indices, got " << numIndices;
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError("expected element type ") << view.getElementType() << ", got " << tile.getElementType();
  if (tile.getRank() < 1 || tile.getRank() > view.getRank())
    return op->emitOpError("expected a tile of rank 1 to ") << view.getRank() << ", got rank " << tile.getRank();
  if (extent && static_cast<int64_t>(extent->size()) != tile.getRank())
    return op->emitOpError("expected an extent of ") << tile.getRank() << " numbers, got " << extent->size();
  for (int64_t d = 0; extent && d < tile.getRank(); ++d)
    if ((*extent)[d] < 0 || (*extent)[d] > tile.getDimSize(d))
      return op->emitOpError("expected an extent from 0 to ") << tile.getDimSize(d) << ", got " << (*extent)[d];
  if (!dims)
    return success();
  if (static_cast<int64_t>(dims->size()) != tile.getRank())
    return op->emitOpError("expected ") << tile.getRank() << " dims, got " << dims->size();
  for (size_t i = 0; i < dims->size(); ++i)
    if ((*dims)[i] < 0 || (*dims)[i] >= view.getRank() || (i && (*dims)[i] <= (*dims)[i - 1]))
      return op->emitOpError("expected ascending dims below ") << view.getRank() << ", got " << (*dims)[i];
  return success();
}

SmallVector<int64_t> LoadOp::getTileDims() {
  return getView().getType().getTileDims(getDims(), getResult().getType().getRank());
}
SmallVector<int64_t> StoreOp::getTileDims() {
  return getView().getType().getTileDims(getDims(), getValue().getType().getRank());
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getView(), getResult().getType(), getIndices().size(), getDims(), getExtent());
}

SmallVector<int64_t> GatherOp::getTileDims() {
  return getView().getType().getTileDims(getDims(), getResult().getType().getRank());
}

/// The rules of a tile whose rows are at the places that `rows` names.
static LogicalResult verifyRows(Operation *op, RankedTensorType rows, RankedTensorType tile) {
  if (rows.getRank() != 1 || !rows.getElementType().isInteger(32))
    return op->emitOpError("expected rows as a rank-1 i32 tile, got ") << rows;
  if (tile.getRank() > 2)
    return op->emitOpError("expected a tile of rank 1 or 2, got rank ") << tile.getRank();
  if (rows.getDimSize(0) != tile.getDimSize(0))
    return op->emitOpError("expected a row number for each of ")
           << tile.getDimSize(0) << " rows, got " << rows.getDimSize(0);
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType tile = getResult().getType();
  if (failed(verifyAccess(*this, getView(), tile, getIndices().size(), getDims(), std::nullopt)))
    return failure();
  return verifyRows(*this, getRows().getType(), tile);
}

LogicalResult ElementOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyViewIsArgument(*this, getView())))
    return failure();
  if (static_cast<int64_t>(getIndices().size()) != view.getRank())
    return emitOpError("expected ") << view.getRank() << " indices, got " << getIndices().size();
  if (getResult().getType() != view.getElementType())
    return emitOpError("expected element type ") << view.getElementType() << ", got " << getResult().getType();
  return success();
}

LogicalResult StoreOp::verify() {
  if (getKind() != "set" && getKind() != "add")
    return emitOpError("expected kind \"set\" or \"add\", got \"") << getKind() << "\"";
  if (isBounded() && static_cast<int64_t>(getBelow().size()) != getValue().getType().getRank())
    return emitOpError("expected ") << getValue().getType().getRank() << " coordinates after 'below', got "
                                    << getBelow().size();
  RankedTensorType tile = getValue().getType();
  if (failed(verifyAccess(*this, getView(), tile, getIndices().size(), getDims(), getExtent())))
    return failure();
  return getRows() ? verifyRows(*this, getRows().getType(), tile) : success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), c = getAcc().getType();
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2)
    return emitOpError("expected rank-2 operands, got ") << a << ", " << b << ", " << c;
  if (a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("expected the same contraction size, got ") << a.getDimSize(1) << " and " << b.getDimSize(0);
  if (c.getDimSize(0) != a.getDimSize(0) || c.getDimSize(1) != b.getDimSize(1))
    return emitOpError("expected an accumulator of ")
           << a.getDimSize(0) << "x" << b.getDimSize(1) << ", got " << c.getDimSize(0) << "x" << c.getDimSize(1);
  auto isEightBitFloat = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (a.getElementType() != b.getElementType() &&
      !(isEightBitFloat(a.getElementType()) && isEightBitFloat(b.getElementType())))
    return emitOpError("expected operands of one element type, or of 8-bit floats, got ")
           << a.getElementType() << " and " << b.getElementType();
  if (a.getElementType().isInteger(8) && c.getElementType().isInteger(32))
    return success();
  if (!isa<FloatType>(a.getElementType()))
    return emitOpError("expected float operands, or i8 with an i32 accumulator, got ")
           << a.getElementType() << " with " << c.getElementType();
  if (!isa<FloatType>(c.getElementType()))
    return emitOpError("expected a float accumulator, got ") << c.getElementType();
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType s = getSource().getType(), r = getResult().getType();
  if (s.getRank() != 2)
    return emitOpError("expected a rank-2 tile, got ") << s;
  auto expected = RankedTensorType::get({s.getDimSize(1), s.getDimSize(0)}, s.getElementType(), s.getEncoding());
  if (r.getShape() != expected.getShape() || r.getElementType() != s.getElementType())
    return emitOpError("expected result ") << expected << ", got " << r;
  return success();
}

/// The rules of folds along one dimension.
static LogicalResult verifyFold(Operation *op, StringRef kind, RankedTensorType source, int64_t axis) {
  std::optional<FoldKind> fold = findFold(kind);
  if (!fold)
    return op->emitOpError("expected a kind of reduction ") << foldNames() << ", got \"" << kind << "\"";
  if (!folds(*fold, source.getElementType()))
    return op->emitOpError("expected integers to reduce by \"") << kind << "\", got " << source.getElementType();
  if (axis < 0 || axis >= source.getRank())
    return op->emitOpError("expected an axis of at least 0 and below ") << source.getRank() << ", got " << axis;
  return success();
}

LogicalResult ScanOp::verify() { return verifyFold(*this, getKind(), getSource().getType(), getAxis()); }

LogicalResult ReduceOp::verify() {
  RankedTensorType s = getSource().getType(), r = getResult().getType();
  int64_t axis = getAxis();
  if (failed(verifyFold(*this, getKind(), s, axis)))
    return failure();
  if (getDirection() && (!isExtreme(foldOf(*this)) || !isa<FloatType>(s.getElementType())))
    return emitOpError("expected a \"max\" or a \"min\" of floats towards a number, got \"")
           << getKind() << "\" of " << s.getElementType();
  SmallVector<int64_t> shape(s.getShape());
  shape.erase(shape.begin() + axis);
  if (r.getShape() != ArrayRef<int64_t>(shape) || r.getElementType() != s.getElementType())
    return emitOpError("expected result ") << RankedTensorType::get(shape, s.getElementType()) << ", got " << r;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType s = getSource().getType(), r = getResult().getType();
  int64_t axis = getAxis();
  if (r.getRank() != s.getRank() + 1 || axis < 0 || axis >= r.getRank())
    return emitOpError("expected a result of rank ")
           << s.getRank() + 1 << " and an axis in it, got " << r << " and axis " << axis;
  SmallVector<int64_t> shape(r.getShape());
  shape.erase(shape.begin() + axis);
  if (s.getShape() != ArrayRef<int64_t>(shape) || r.getElementType() != s.getElementType())
    return emitOpError("expected source ") << RankedTensorType::get(shape, r.getElementType()) << ", got " << s;
  return success();
}

LogicalResult IotaOp::verify() {
  RankedTensorType r = getResult().getType();
  if (r.getRank() != 1 || !r.getElementType().isSignlessInteger())
    return emitOpError("expected a rank-1 integer tile, got ") << r;
  return success();
}
