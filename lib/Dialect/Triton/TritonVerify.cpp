//===- TritonVerify.cpp - what every reader of the tt dialect relies on ----===//
//
// What:      shapes and types of operations fit each other. Triton has verified what it wrote; text that was edited, or
//            written by hand, ends here with an error at its place instead of in a reader.
// Verifies:  shapes, element types, axes and numbers of operands. What an operation can mean beyond that (which
//            reductions, which flow) the conversion asks.
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Triton/Triton.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle::triton;

static ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

/// `element` in the shape `shape`; a scalar where that is empty.
static Type inShape(ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

static LogicalResult expect(Operation *op, bool holds, const Twine &what) {
  if (holds)
    return success();
  return op->emitOpError("expected ") << what;
}

static LogicalResult expectType(Operation *op, const Twine &what, Type want, Type got) {
  if (want == got)
    return success();
  return op->emitOpError("expected ") << what << " of type " << want << ", got " << got;
}

/// All tiles have a static shape without empty dimensions.
static LogicalResult verifyTiles(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto tile = dyn_cast<RankedTensorType>(type))
        if (failed(expect(op, tile.hasStaticShape() && tile.getRank() && tile.getNumElements(),
                          "tiles of known sizes from 1")))
          return failure();
  return success();
}

LogicalResult FuncOp::verify() { return expect(*this, !isExternal(), "a body"); }

LogicalResult MakeRangeOp::verify() {
  int64_t from = static_cast<int32_t>(getStart()), to = static_cast<int32_t>(getEnd());
  if (failed(expect(*this, from >= 0 && from < to, "a range that begins at 0 or later and ends behind its begin")))
    return failure();
  Type i32 = IntegerType::get(getContext(), 32);
  return expectType(*this, "a result", RankedTensorType::get({to - from}, i32), getType());
}

LogicalResult SplatOp::verify() {
  return failed(verifyTiles(*this))
             ? failure()
             : expectType(*this, "elements", getSrc().getType(), getElementTypeOrSelf(getType()));
}

LogicalResult UnsplatOp::verify() {
  auto tile = dyn_cast<RankedTensorType>(getSrc().getType());
  if (failed(expect(*this, tile && tile.hasStaticShape() && tile.getNumElements() == 1, "a tile of one element")))
    return failure();
  return expectType(*this, "a result", tile.getElementType(), getType());
}

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> shape(shapeOf(getSrc().getType()));
  size_t axis = getAxis();
  if (failed(verifyTiles(*this)) ||
      failed(expect(*this, axis <= shape.size(), "an axis up to the rank " + Twine(shape.size()))))
    return failure();
  shape.insert(shape.begin() + static_cast<long>(axis), 1);
  return expectType(*this, "a result", inShape(shape, getElementTypeOrSelf(getSrc().getType())), getType());
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSrc().getType()), to = shapeOf(getType());
  bool fits = from.size() == to.size();
  for (size_t d = 0; fits && d < to.size(); ++d)
    fits = from[d] == 1 || from[d] == to[d];
  if (failed(verifyTiles(*this)) ||
      failed(expect(*this, fits, "a result that differs where its source has one element")))
    return failure();
  return expectType(*this, "elements", getElementTypeOrSelf(getSrc().getType()), getElementTypeOrSelf(getType()));
}

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSrc().getType());
  SmallVector<int64_t> shape;
  SmallVector<char> taken(from.size(), 0);
  for (int32_t d : getOrder()) {
    if (failed(expect(*this, d >= 0 && static_cast<size_t>(d) < from.size() && !taken[static_cast<size_t>(d)],
                      "an order that names every dimension once")))
      return failure();
    taken[static_cast<size_t>(d)] = 1;
    shape.push_back(from[static_cast<size_t>(d)]);
  }
  if (failed(verifyTiles(*this)) ||
      failed(expect(*this, shape.size() == from.size(), "an order that names every dimension once")))
    return failure();
  return expectType(*this, "a result", inShape(shape, getElementTypeOrSelf(getSrc().getType())), getType());
}

/// The same number of elements before and after.
static LogicalResult verifyCount(Operation *op, Type from, Type to) {
  if (failed(verifyTiles(op)))
    return failure();
  auto count = [](Type type) { return ShapedType::getNumElements(shapeOf(type)); };
  return expect(op, count(from) == count(to), "as many elements as before");
}

static LogicalResult verifySameShape(Operation *op) {
  if (failed(verifyTiles(op)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0).getType());
  return expect(op, llvm::all_of(op->getOperandTypes(), [&](Type type) { return shapeOf(type) == shape; }),
                "operands and a result of one shape");
}
LogicalResult BitcastOp::verify() { return verifySameShape(*this); }
LogicalResult IntToPtrOp::verify() { return verifySameShape(*this); }
LogicalResult PtrToIntOp::verify() { return verifySameShape(*this); }
LogicalResult ExternElementwiseOp::verify() { return verifySameShape(*this); }

LogicalResult FpToFpOp::verify() {
  if (failed(verifySameShape(*this)))
    return failure();
  auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  return expect(*this, isFloat(getSrc().getType()) && isFloat(getType()), "floating-point elements");
}
static LogicalResult verifyFloats(Operation *op) {
  return failed(verifySameShape(op))
             ? failure()
             : expect(op, isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())), "floating-point elements");
}
LogicalResult ClampFOp::verify() { return verifyFloats(*this); }
LogicalResult PreciseSqrtOp::verify() { return verifyFloats(*this); }
LogicalResult PreciseDivFOp::verify() { return verifyFloats(*this); }
LogicalResult MulhiUIOp::verify() {
  return failed(verifySameShape(*this))
             ? failure()
             : expect(*this, isa<IntegerType>(getElementTypeOrSelf(getType())), "elements that are integers");
}

LogicalResult ReshapeOp::verify() {
  return failed(verifyCount(*this, getSrc().getType(), getType()))
             ? failure()
             : expectType(*this, "elements", getSrc().getType().getElementType(), getType().getElementType());
}

LogicalResult SplitOp::verify() {
  RankedTensorType from = getSrc().getType();
  if (failed(verifyTiles(*this)) ||
      failed(expect(*this, from.getRank() > 1 && from.getShape().back() == 2, "a last dimension of two elements")))
    return failure();
  Type half = inShape(from.getShape().drop_back(), from.getElementType());
  return failed(expectType(*this, "a first result", half, getOutLHS().getType()))
             ? failure()
             : expectType(*this, "a second result", half, getOutRHS().getType());
}

LogicalResult JoinOp::verify() {
  RankedTensorType from = getLhs().getType();
  SmallVector<int64_t> shape(from.getShape());
  shape.push_back(2);
  if (failed(verifyTiles(*this)) || failed(expectType(*this, "a second operand", from, getRhs().getType())))
    return failure();
  return expectType(*this, "a result", inShape(shape, from.getElementType()), getType());
}

LogicalResult CatOp::verify() {
  RankedTensorType from = getLhs().getType();
  if (failed(verifyTiles(*this)) || failed(expectType(*this, "a second operand", from, getRhs().getType())))
    return failure();
  SmallVector<int64_t> shape(from.getShape());
  shape.front() *= 2;
  return expectType(*this, "a result", inShape(shape, from.getElementType()), getType());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Pointers with what is stored to them and a mask, each null where there is none.
static LogicalResult verifyAccess(Operation *op, Value pointers, Value value, Value mask) {
  Type element = pointee(pointers.getType());
  if (failed(verifyTiles(op)) || failed(expect(op, element != Type(), "a pointer or a tile of pointers")))
    return failure();
  if (value && failed(expectType(op, "a value", element, value.getType())))
    return failure();
  Type i1 = IntegerType::get(op->getContext(), 1);
  if (mask && failed(expectType(op, "a mask", inShape(shapeOf(pointers.getType()), i1), mask.getType())))
    return failure();
  return op->getNumResults() ? expectType(op, "a result", element, op->getResult(0).getType()) : success();
}
LogicalResult LoadOp::verify() { return verifyAccess(*this, getPtr(), getOther(), getMask()); }
LogicalResult StoreOp::verify() { return verifyAccess(*this, getPtr(), getValue(), getMask()); }
LogicalResult AtomicRMWOp::verify() { return verifyAccess(*this, getPtr(), getVal(), getMask()); }
LogicalResult AtomicCASOp::verify() { return verifyAccess(*this, getPtr(), getVal(), Value()); }

LogicalResult AddPtrOp::verify() {
  Type pointers = getPtr().getType(), offsets = getOffset().getType();
  if (failed(verifySameShape(*this)) ||
      failed(expect(*this, pointee(pointers) != Type(), "a pointer or a tile of pointers")) ||
      failed(expect(*this, isa<IntegerType>(getElementTypeOrSelf(offsets)), "elements that are integers")))
    return failure();
  return expectType(*this, "a result", pointers, getType());
}

LogicalResult MakeTensorDescOp::verify() {
  TensorDescType type = getType();
  if (failed(expect(*this, getShape().size() == type.getShape().size(), "a size and a stride of every dimension")))
    return failure();
  return expectType(*this, "elements", getBase().getType().getPointeeType(), type.getElementType());
}

static LogicalResult verifyBox(Operation *op, TensorDescType descriptor, size_t indices, RankedTensorType tile) {
  if (failed(verifyTiles(op)) ||
      failed(expect(op, indices == descriptor.getShape().size(), "an index of every dimension")) ||
      failed(expectType(op, "elements", descriptor.getElementType(), tile.getElementType())))
    return failure();
  auto wide = [](int64_t extent) { return extent != 1; };
  return expect(
      op,
      llvm::equal(llvm::make_filter_range(descriptor.getShape(), wide), llvm::make_filter_range(tile.getShape(), wide)),
      "a tile of the descriptor's shape");
}
LogicalResult DescriptorLoadOp::verify() {
  return verifyBox(*this, getDesc().getType(), getIndices().size(), getType());
}
LogicalResult DescriptorStoreOp::verify() {
  return verifyBox(*this, getDesc().getType(), getIndices().size(), getSrc().getType());
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape(), c = getC().getType().getShape();
  bool fits = a.size() == b.size() && b.size() == c.size() && c.size() >= 2;
  if (fits)
    fits = a.drop_back(2) == c.drop_back(2) && b.drop_back(2) == c.drop_back(2) && a.back() == b[b.size() - 2] &&
           c[c.size() - 2] == a[a.size() - 2] && c.back() == b.back();
  return failed(verifyTiles(*this)) ? failure()
                                    : expect(*this, fits, "operands of shapes M x K and K x N and a result of M x N");
}

/// The rules of tt.reduce, and those of tt.scan, which keeps the shape.
template <typename Op, typename Return> static LogicalResult verifyFold(Op op, bool keepsShape) {
  OperandRange sources = op.getSrcs();
  if (failed(expect(op, !sources.empty() && sources.size() == op->getNumResults(), "a result of every source")) ||
      failed(verifyTiles(op)))
    return failure();
  Block &block = op.getCombineOp().front();
  auto end = block.empty() ? Return() : dyn_cast<Return>(block.back());
  if (failed(expect(op,
                    block.getNumArguments() == 2 * sources.size() && end && end.getResult().size() == sources.size(),
                    "a combination of two elements of every source")))
    return failure();
  for (auto [source, result, combined] : llvm::zip_equal(sources, op->getResults(), end.getResult())) {
    auto tile = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(tile.getShape());
    if (failed(expect(op, op.getAxis() < shape.size(), "an axis below the rank " + Twine(shape.size()))) ||
        failed(expect(op, shape == SmallVector<int64_t>(shapeOf(sources.front().getType())), "sources of one shape")) ||
        failed(expectType(op, "combined elements", tile.getElementType(), combined.getType())))
      return failure();
    if (!keepsShape)
      shape.erase(shape.begin() + static_cast<long>(op.getAxis()));
    if (failed(expectType(op, "a result", inShape(shape, tile.getElementType()), result.getType())))
      return failure();
  }
  for (auto [number, argument] : llvm::enumerate(block.getArguments()))
    if (failed(expectType(op, "combined elements", getElementTypeOrSelf(sources[number % sources.size()].getType()),
                          argument.getType())))
      return failure();
  return success();
}

LogicalResult ReduceOp::verify() { return verifyFold<ReduceOp, ReduceReturnOp>(*this, /*keepsShape=*/false); }
LogicalResult ScanOp::verify() { return verifyFold<ScanOp, ScanReturnOp>(*this, /*keepsShape=*/true); }

LogicalResult GatherOp::verify() {
  RankedTensorType from = getSrc().getType(), numbers = getIndices().getType();
  bool fits = from.getRank() == numbers.getRank() && getAxis() < static_cast<size_t>(from.getRank());
  for (int64_t d = 0; fits && d < from.getRank(); ++d)
    fits = d == static_cast<int64_t>(getAxis()) || from.getDimSize(d) == numbers.getDimSize(d);
  if (failed(verifyTiles(*this)) || failed(expect(*this, fits, "indices that differ from the source along one axis")) ||
      failed(expect(*this, isa<IntegerType>(numbers.getElementType()), "indices that are integers")))
    return failure();
  return expectType(*this, "a result", inShape(numbers.getShape(), from.getElementType()), getType());
}

LogicalResult HistogramOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  bool fits = from.getRank() == 1 && to.getRank() == 1 && isa<IntegerType>(from.getElementType()) &&
              isa<IntegerType>(to.getElementType());
  if (failed(verifyTiles(*this)) || failed(expect(*this, fits, "integers in one dimension, and counts in one")))
    return failure();
  Type i1 = IntegerType::get(getContext(), 1);
  return getMask() ? expectType(*this, "a mask", inShape(from.getShape(), i1), getMask().getType()) : success();
}
