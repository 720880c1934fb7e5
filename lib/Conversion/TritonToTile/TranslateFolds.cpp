//===- TranslateFolds.cpp - reductions, scans, and what is made of them -----===//
//
// What:    tt.reduce, tt.scan, tt.gather and tt.histogram -> folds of tile programs.
// Any:     a combination that is no fold of tile programs (Welford's sums, linear recurrences) runs on tiles: a
//          reduction combines neighbours until one element is left; a scan combines, for every power of two, the last
//          element of each first half with all of the second half (Sklansky, "Conditional-sum addition logic", 1960).
//          Both keep the order of elements, so that the combination need not commute.
// Shapes:  pre x n x post, where n is what is folded; dimensions of one element are left out.
//
//===----------------------------------------------------------------------===//
#include "Combinations.h"
#include "Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace heddle::triton {

/// The numbers of the values that are `extreme`, reduced. Where a value is NaN all are: any number will do, but it has
/// to be one.
Value Translator::numberOf(Value values, Value extreme, Value numbers, tile::FoldKind among, int64_t axis,
                           Location loc) {
  auto tile = cast<RankedTensorType>(values.getType()), integers = cast<RankedTensorType>(numbers.getType());
  Value all = tile::BroadcastOp::create(builder, loc, tile, extreme, static_cast<uint64_t>(axis));
  Value isExtreme = isa<FloatType>(tile.getElementType())
                        ? Value(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UEQ, values, all))
                        : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, values, all);
  Attribute none = tile::neutralOf(among, integers.getElementType());
  Value nowhere = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(integers, none));
  Value left = arith::SelectOp::create(builder, loc, isExtreme, numbers, nowhere);
  SmallVector<int64_t> shape(integers.getShape());
  shape.erase(shape.begin() + axis);
  return tile::ReduceOp::create(builder, loc, RankedTensorType::get(shape, integers.getElementType()),
                                tile::nameOf(among), left, static_cast<uint64_t>(axis));
}

/// A tile of no dimension as one of one element, which has a dimension here.
Value Translator::ofOne(Value tile, Location loc) {
  return tile::BroadcastOp::create(builder, loc, cast<RankedTensorType>(tile.getType()).clone({1}), tile, uint64_t(0));
}

/// Folds the dimensions of `source` one after the other, until the scalar is left.
LogicalResult Translator::reduceAll(ReduceOp reduce, tile::FoldKind kind, Value source) {
  for (auto tile = cast<RankedTensorType>(source.getType()); tile.getRank() > int64_t(rows);) {
    tile = RankedTensorType::get(tile.getShape().drop_back(), tile.getElementType());
    source = tile::ReduceOp::create(builder, reduce.getLoc(), tile, tile::nameOf(kind), source,
                                    static_cast<uint64_t>(tile.getRank()));
  }
  map[reduce->getResult(0)] = source;
  return success();
}

//===----------------------------------------------------------------------===//
// Combinations of any kind
//===----------------------------------------------------------------------===//

namespace {
/// A tile as `before` x `along` x `behind`.
struct Folded {
  Folded(Type type, int64_t axis) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    before = ShapedType::getNumElements(shape.take_front(axis));
    along = shape[axis];
    behind = ShapedType::getNumElements(shape.drop_front(axis + 1));
  }
  int64_t before, along, behind;
};
} // namespace

Value Translator::positions(ArrayRef<int64_t> shape, int64_t axis, Location loc) {
  SmallVector<int64_t> from(shape.size(), 1);
  from[axis] = shape[axis];
  auto flat = RankedTensorType::get({shape[axis]}, builder.getI32Type());
  Value lanes = tile::IotaOp::create(builder, loc, flat, uint64_t(0));
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (d != axis) {
      SmallVector<int64_t> wide(shapeOfTile(lanes));
      wide.insert(wide.begin() + std::min<int64_t>(d, wide.size()), shape[d]);
      lanes = tile::BroadcastOp::create(builder, loc, RankedTensorType::get(wide, builder.getI32Type()), lanes,
                                        static_cast<uint64_t>(d));
    }
  return lanes;
}

FailureOr<SmallVector<Value>> Translator::combined(Block &combination, ArrayRef<Value> in) {
  llvm::SmallDenseMap<Value, Value> made;
  for (auto [argument, value] : llvm::zip_equal(combination.getArguments(), in))
    made[argument] = value;
  ArrayRef<int64_t> shape = shapeOfTile(in.front());
  auto valueOf = [&](Value value) -> Value {
    if (Value known = made.lookup(value))
      return known;
    Value outer = map.lookup(value);
    if (!outer ||
        (isa<RankedTensorType>(outer.getType()) && shapeOfTile(outer) != shape && !shapeOfTile(outer).empty()))
      return {};
    return splat(outer, RankedTensorType::get(shape, value.getType()), value.getLoc());
  };
  for (Operation &op : combination.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto type = RankedTensorType::get(shape, constant.getType());
      made[constant] =
          arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, constant.getValue()));
      continue;
    }
    if (!isElementwise(&op))
      return op.emitError("expected a combination of elements by operations that tile programs have, got ")
             << op.getName().getStringRef();
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      operands.push_back(valueOf(operand));
      if (!operands.back())
        return op.emitError("expected a combination of the elements alone, got one of ")
               << operand.getType() << " from outside";
    }
    bool same = isa<BitcastOp>(op) && op.getOperand(0).getType() == op.getResult(0).getType();
    made[op.getResult(0)] =
        same ? operands[0] : elementwise(&op, operands, RankedTensorType::get(shape, op.getResult(0).getType()));
  }
  SmallVector<Value> results;
  for (Value result : combination.getTerminator()->getOperands()) {
    results.push_back(valueOf(result));
    if (!results.back())
      return combination.getParentOp()->emitError("expected a combination of the elements alone, got one of ")
             << result.getType() << " from outside";
  }
  return results;
}

/// Neighbours become one, until one element is left.
LogicalResult Translator::reduceAny(ReduceOp reduce, ArrayRef<Value> in) {
  Location loc = reduce.getLoc();
  Folded size(reduce.getSrcs()[0].getType(), reduce.getAxis());
  if (!llvm::isPowerOf2_64(size.along))
    return reduce.emitError("expected a power of two of elements to reduce, got ") << size.along;
  SmallVector<Value> left(in);
  for (int64_t count = size.along / 2; count; count /= 2) {
    SmallVector<Value> pairs;
    for (int64_t second : {0, 1})
      for (Value tile : left) {
        SmallVector<int64_t> shape{size.before, count, 2, size.behind}, corner{0, 0, second, 0}, sizes(shape);
        sizes[2] = 1;
        // Dimensions of one element go, but the one that is cut.
        for (int64_t d : {3, 1, 0})
          if (shape[d] == 1)
            for (auto *list : {&shape, &corner, &sizes})
              list->erase(list->begin() + d);
        pairs.push_back(reshaped(part(reshaped(tile, shape, loc), corner, sizes, loc),
                                 dense({size.before, count, size.behind}), loc));
      }
    FailureOr<SmallVector<Value>> fewer = combined(reduce.getCombineOp().front(), pairs);
    if (failed(fewer))
      return failure();
    left = std::move(*fewer);
  }
  for (auto [result, tile] : llvm::zip_equal(reduce->getResults(), left)) {
    Type type = result.getType();
    auto many = dyn_cast<RankedTensorType>(type);
    auto one = [&] {
      return tile::ReduceOp::create(builder, loc, scalarTile(getElementTypeOrSelf(type)),
                                    tile::nameOf(tile::FoldKind::Max), reshaped(tile, {1}, loc), uint64_t(0));
    };
    if (many && (rows || many.getNumElements() > 1))
      map[result] = reshaped(tile, shapeOf(type), loc);
    else if (many)
      map[result] = ofOne(one(), loc);
    else
      map[result] = rows ? reshaped(tile, {1}, loc) : Value(one());
  }
  return success();
}

LogicalResult Translator::scanAny(ScanOp scan, ArrayRef<Value> in) {
  Location loc = scan.getLoc();
  Folded size(scan.getSrcs()[0].getType(), scan.getAxis());
  if (!llvm::isPowerOf2_64(size.along))
    return scan.emitError("expected a power of two of elements to scan, got ") << size.along;
  bool reverse = scan.getReverse();
  SmallVector<Value> now(in);
  for (int64_t half = 1; half < size.along; half *= 2) {
    SmallVector<int64_t> shape{size.before, size.along / (2 * half), 2 * half, size.behind};
    // The nearest element of the other half, to each element of this one.
    SmallVector<int64_t> corner{0, 0, reverse ? half : half - 1, 0}, sizes(shape);
    sizes[2] = 1;
    int64_t axis = 2;
    for (int64_t d : {3, 1, 0})
      if (shape[d] == 1) {
        for (auto *list : {&shape, &corner, &sizes})
          list->erase(list->begin() + d);
        axis -= d < 2;
      }
    SmallVector<Value> carried, tiles;
    for (Value tile : now) {
      tiles.push_back(reshaped(tile, shape, loc));
      SmallVector<int64_t> without(sizes);
      without.erase(without.begin() + axis);
      Value nearest = reshaped(part(tiles.back(), corner, sizes, loc), dense(without), loc);
      auto type = cast<RankedTensorType>(nearest.getType()).clone(shape);
      carried.push_back(
          without.empty()
              ? reshaped(tile::BroadcastOp::create(builder, loc, type.clone({1, 2 * half}), nearest, 1), shape, loc)
              : tile::BroadcastOp::create(builder, loc, type, nearest, static_cast<uint64_t>(axis)));
    }
    carried.append(tiles.begin(), tiles.end());
    FailureOr<SmallVector<Value>> sums = combined(scan.getCombineOp().front(), carried);
    if (failed(sums))
      return failure();
    Value place = positions(shape, axis, loc);
    Value middle = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(cast<ShapedType>(place.getType()), APInt(32, half)));
    Value follows = arith::CmpIOp::create(builder, loc, reverse ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
                                          place, middle);
    now.clear();
    for (auto [sum, tile] : llvm::zip_equal(*sums, tiles))
      now.push_back(arith::SelectOp::create(builder, loc, follows, sum, tile));
  }
  for (auto [result, tile] : llvm::zip_equal(scan->getResults(), now))
    map[result] = reshaped(tile, shapeOf(result.getType()), loc);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

LogicalResult Translator::translateReduce(ReduceOp reduce) {
  std::optional<tile::FoldKind> kind = kindOf(reduce.getCombineOp());
  std::optional<Extreme> extreme = kind ? std::nullopt : extremeOf(reduce);
  if (extreme)
    kind = extreme->value;
  Type result = reduce->getResult(0).getType();
  bool toScalar = !isa<RankedTensorType>(result);
  // All elements of a tile of several dimensions, in whatever order.
  auto flat = reduce.getSrcs()[0].getDefiningOp<ReshapeOp>();
  // Truth values are folded as numbers, of which the lowest bit is left.
  auto widened = [&](Value tile) -> Value {
    auto bits = cast<RankedTensorType>(tile.getType());
    return bits.getElementType().isInteger(1)
               ? arith::ExtUIOp::create(builder, reduce.getLoc(), bits.clone(builder.getI32Type()), tile).getResult()
               : tile;
  };
  auto narrowed = [&](Value tile) -> Value {
    Type truth = getElementTypeOrSelf(result);
    if (!truth.isInteger(1) || getElementTypeOrSelf(tile.getType()) == truth)
      return tile;
    auto shaped = dyn_cast<RankedTensorType>(tile.getType());
    return arith::TruncIOp::create(builder, reduce.getLoc(), shaped ? Type(shaped.clone(truth)) : truth, tile);
  };
  if (Value whole = flat && toScalar && kind && !extreme ? map.lookup(flat.getSrc()) : Value()) {
    if (failed(reduceAll(reduce, *kind, widened(whole))))
      return failure();
    map[reduce->getResult(0)] = narrowed(map[reduce->getResult(0)]);
    return success();
  }
  FailureOr<SmallVector<Value>> in = translated(reduce, reduce.getSrcs());
  if (failed(in))
    return failure();
  Location loc = reduce.getLoc();
  Value source = (*in)[0];
  auto from = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
  int64_t axis = reduce.getAxis();
  if (from.getShape()[axis] == 1 && (rows || !toScalar)) {
    for (auto [to, tile] : llvm::zip_equal(reduce->getResults(), *in))
      map[to] = tile;
    return success();
  }
  if (!kind)
    return reduceAny(reduce, *in);
  int64_t place = rows ? 1 : llvm::count_if(from.getShape().take_front(axis), [](int64_t e) { return e != 1; });
  bool inOne = dense(from.getShape()).size() > mostDimensions;
  if (inOne) {
    Folded size(from, axis);
    place = size.before > 1;
    for (Value &tile : *in)
      tile = reshaped(tile, dense({size.before, size.along, size.behind}), loc);
    source = (*in)[0];
  }
  SmallVector<int64_t> shape(cast<RankedTensorType>(source.getType()).getShape());
  shape.erase(shape.begin() + place);
  source = widened(source);
  Value folded =
      tile::ReduceOp::create(builder, loc, RankedTensorType::get(shape, getElementTypeOrSelf(source.getType())),
                             tile::nameOf(*kind), source, static_cast<uint64_t>(place));
  map[reduce->getResult(0)] = narrowed(folded);
  if (extreme)
    map[reduce->getResult(1)] = numberOf(source, folded, (*in)[1], extreme->number, place, loc);
  for (Value to : reduce->getResults()) {
    Value &folded = map[to];
    if (inOne)
      folded = reshaped(folded, shapeOf(to.getType()), loc);
    else if (!toScalar && shapeOfTile(folded).empty())
      folded = ofOne(folded, loc);
  }
  return success();
}

LogicalResult Translator::translateScan(ScanOp scan) {
  std::optional<tile::FoldKind> kind = scan.getSrcs().size() == 1 ? kindOf(scan.getCombineOp()) : std::nullopt;
  FailureOr<SmallVector<Value>> in = translated(scan, scan.getSrcs());
  if (failed(in))
    return failure();
  auto from = cast<RankedTensorType>(scan.getSrcs()[0].getType());
  int64_t axis = scan.getAxis();
  Value source = (*in)[0];
  if (from.getShape()[axis] == 1) {
    for (auto [to, tile] : llvm::zip_equal(scan->getResults(), *in))
      map[to] = tile;
    return success();
  }
  if (!kind || dense(from.getShape()).size() > mostDimensions)
    return scanAny(scan, *in);
  int64_t place = llvm::count_if(from.getShape().take_front(axis), [](int64_t e) { return e != 1; });
  if (rows || cast<RankedTensorType>(source.getType()).getRank() >
                  llvm::count_if(from.getShape(), [](int64_t e) { return e != 1; }))
    place += 1; // behind the row that such kernels have
  map[scan->getResult(0)] =
      tile::ScanOp::create(builder, scan.getLoc(), source.getType(), builder.getStringAttr(tile::nameOf(*kind)), source,
                           builder.getI64IntegerAttr(place), scan.getReverse() ? builder.getUnitAttr() : UnitAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Elements that numbers name, and their counts
//===----------------------------------------------------------------------===//

/// Elements of a tile that compares numbers: as many as a tile may have.
constexpr int64_t mostCompared = 1048576;

/// Of all elements along the dimension the one whose number it is: the others are what changes no sum, of floats -0.
LogicalResult Translator::translateGather(GatherOp gather) {
  FailureOr<SmallVector<Value>> in = translated(gather, gather->getOperands());
  if (failed(in))
    return failure();
  Location loc = gather.getLoc();
  Folded from(gather.getSrc().getType(), gather.getAxis()), to(gather.getIndices().getType(), gather.getAxis());
  int64_t compared = from.before * to.along * from.along * from.behind;
  if (compared > mostCompared)
    return gather.emitError("expected tl.gather to compare at most ")
           << mostCompared << " pairs of an index and a place, got " << compared;
  Type element = gather.getSrc().getType().getElementType();
  Value source = (*in)[0], numbers = asInteger((*in)[1], builder.getI32Type(), loc);
  // before x numbers x places x behind
  SmallVector<int64_t> shape = dense({from.before, to.along, from.along, from.behind});
  int64_t numbered = from.before > 1, axis = numbered + (to.along > 1);
  auto spread = [&](Value tile, int64_t along, int64_t times, int64_t at) -> Value {
    tile = reshaped(tile, dense({from.before, along, from.behind}), loc);
    if (times == 1)
      return tile;
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getNumElements() == 1) // one element has no dimension but that
      return reshaped(tile::BroadcastOp::create(builder, loc, type.clone({1, times}), tile, uint64_t(1)), shape, loc);
    return tile::BroadcastOp::create(builder, loc, type.clone(shape), tile, static_cast<uint64_t>(at));
  };
  Value all = spread(source, from.along, to.along, numbered);
  if (from.along == 1) {
    map[gather] = reshaped(all, shapeOf(gather.getType()), loc);
    return success();
  }
  Value named = spread(numbers, to.along, from.along, axis);
  auto type = cast<RankedTensorType>(all.getType());
  Value isIt =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, named, positions(type.getShape(), axis, loc));
  TypedAttr none = tile::neutralOf(tile::FoldKind::Add, element);
  if (auto number = dyn_cast<FloatType>(element))
    none = FloatAttr::get(number, APFloat::getZero(number.getFloatSemantics(), /*Negative=*/true));
  Value others = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, Attribute(none)));
  Value one = arith::SelectOp::create(builder, loc, isIt, all, others);
  SmallVector<int64_t> left(type.getShape());
  left.erase(left.begin() + axis);
  Value found = tile::ReduceOp::create(builder, loc, type.clone(left), tile::nameOf(tile::FoldKind::Add), one,
                                       static_cast<uint64_t>(axis));
  if (left.empty())
    found = ofOne(found, loc);
  map[gather] = reshaped(found, shapeOf(gather.getType()), loc);
  return success();
}

/// How many elements equal each number from 0 on, part after part.
LogicalResult Translator::translateHistogram(HistogramOp histogram) {
  FailureOr<SmallVector<Value>> in = translated(histogram, histogram->getOperands());
  if (failed(in))
    return failure();
  Location loc = histogram.getLoc();
  constexpr int64_t together = 32768, mostParts = 64; // elements of a tile that is compared, and how many tiles
  int64_t count = histogram.getSrc().getType().getNumElements(), bins = histogram.getType().getNumElements();
  int64_t size = std::clamp<int64_t>(together / bins, 1, count);
  if (count / size > mostParts || bins < 2 || size < 2)
    return histogram.emitError("expected tl.histogram to compare at most ")
           << together * mostParts << " pairs of an element and a bin, and at least two of each, got " << count << " x "
           << bins;
  Type i32 = builder.getI32Type();
  Value numbers = reshaped(asInteger((*in)[0], i32, loc), {count}, loc);
  if (in->size() > 1) { // those that are masked equal no number
    Value mask = reshaped((*in)[1], {count}, loc);
    auto type = cast<ShapedType>(numbers.getType());
    Value none = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, APInt(32, -1, true)));
    numbers = arith::SelectOp::create(builder, loc, mask, numbers, none);
  }
  auto pairs = RankedTensorType::get({size, bins}, i32), sums = RankedTensorType::get({bins}, i32);
  Value total;
  for (int64_t first = 0; first < count; first += size) {
    Value some = size == count ? numbers : part(numbers, {first}, {size}, loc);
    some = tile::BroadcastOp::create(builder, loc, pairs, some, uint64_t(1));
    Value isIt =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, some, positions(pairs.getShape(), 1, loc));
    Value ones = arith::ExtUIOp::create(builder, loc, pairs, isIt);
    Value sum = tile::ReduceOp::create(builder, loc, sums, tile::nameOf(tile::FoldKind::Add), ones, uint64_t(0));
    total = total ? Value(arith::AddIOp::create(builder, loc, total, sum)) : sum;
  }
  auto type = cast<RankedTensorType>(typeOf(histogram.getType()));
  map[histogram] = reshaped(asInteger(total, type.getElementType(), loc), type.getShape(), loc);
  return success();
}

} // namespace heddle::triton
