//===- TranslateShapes.cpp - parts and other shapes of tiles ----------------===//
//
// What:   tt.trans, tt.reshape, tt.split and tt.join -> transposes, reshapes and parts of tile programs. Dimensions of
//         extent one are not there (see Translator.h). Which reshapes and parts a kernel can have is for the lowering
//         to say (docs/TileDialect.md, "Parts and shapes").
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace mlir;

namespace heddle::triton {

static ArrayRef<int64_t> shapeOfTile(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

LogicalResult Translator::translateTranspose(TransOp trans) {
  Value value = map.lookup(trans.getSrc());
  if (!value)
    return success();
  SmallVector<int32_t> kept;
  for (int32_t d : trans.getOrder())
    if (shapeOfTile(trans.getSrc())[d] != 1)
      kept.push_back(d);
  if (llvm::is_sorted(kept))
    map[trans] = value;
  else if (kept.size() == 2)
    map[trans] = tile::TransposeOp::create(builder, trans.getLoc(), typeOf(trans.getType()), value);
  return success();
}

/// How many elements follow one step along each dimension, outermost first; the whole tile's in front.
static void addDistances(ArrayRef<int64_t> shape, std::set<int64_t, std::greater<>> &distances) {
  int64_t distance = 1;
  distances.insert(distance);
  for (int64_t extent : llvm::reverse(shape))
    distances.insert(distance *= extent);
}

/// Which dimensions of `fine` are one of `coarse` together; those of one element behind the others are of the last.
static SmallVector<ReassociationIndices> joined(ArrayRef<int64_t> coarse, ArrayRef<int64_t> fine) {
  SmallVector<ReassociationIndices> groups;
  unsigned next = 0;
  for (int64_t extent : coarse) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t product = 1; next < fine.size() && (product < extent || group.empty()); ++next) {
      product *= fine[next];
      group.push_back(next);
    }
  }
  for (; next < fine.size(); ++next)
    groups.back().push_back(next);
  return groups;
}

/// Elements keep their order, whatever order is allowed: dimensions are split as both shapes have them, then joined.
LogicalResult Translator::translateReshape(ReshapeOp reshape) {
  Value value = map.lookup(reshape.getSrc());
  if (!value)
    return success();
  auto from = cast<RankedTensorType>(value.getType()), to = cast<RankedTensorType>(typeOf(reshape.getType()));
  if (from == to) {
    map[reshape] = value;
    return success();
  }
  std::set<int64_t, std::greater<>> distances;
  addDistances(from.getShape(), distances);
  addDistances(to.getShape(), distances);
  SmallVector<int64_t> fine;
  for (auto it = distances.begin(); std::next(it) != distances.end(); ++it) {
    if (*it % *std::next(it))
      return success(); // refused where it is needed
    fine.push_back(*it / *std::next(it));
  }
  if (rows || fine.empty())
    return success();
  Location loc = reshape.getLoc();
  auto split = RankedTensorType::get(fine, from.getElementType());
  if (split != from)
    value = tensor::ExpandShapeOp::create(builder, loc, split, value, joined(from.getShape(), fine));
  if (split != to)
    value = tensor::CollapseShapeOp::create(builder, loc, to, value, joined(to.getShape(), fine));
  map[reshape] = value;
  return success();
}

LogicalResult Translator::translateSplit(SplitOp split) {
  Location loc = split.getLoc();
  auto part = [&](Value source, ArrayRef<int64_t> corner, ArrayRef<int64_t> sizes, RankedTensorType type) -> Value {
    SmallVector<OpFoldResult> steps(sizes.size(), builder.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(builder, loc, type, source,
                                          getAsIndexOpFoldResult(builder.getContext(), corner),
                                          getAsIndexOpFoldResult(builder.getContext(), sizes), steps);
  };
  auto type = cast<RankedTensorType>(typeOf(split->getResult(0).getType()));
  // The halves of columns: split(trans(reshape(x, [.., 2, n]), last two exchanged)).
  auto trans = split.getSrc().getDefiningOp<TransOp>();
  if (auto reshape = trans ? trans.getSrc().getDefiningOp<ReshapeOp>() : ReshapeOp()) {
    ArrayRef<int64_t> from = shapeOfTile(reshape.getSrc()), to = shapeOfTile(reshape);
    bool halves = from.size() == 2 && to.size() == 3 && to[0] == from[0] && to[1] == 2 && to[2] * 2 == from[1] &&
                  llvm::equal(trans.getOrder(), ArrayRef<int32_t>{0, 2, 1});
    Value source = map.lookup(reshape.getSrc());
    if (halves && source && shapeOfTile(source).size() == 2) {
      for (int64_t half : {0, 1})
        map[split->getResult(half)] = part(source, {0, half * to[2]}, {to[0], to[2]}, type);
      return success();
    }
  }
  // Pairs: one element of each along the last dimension.
  Value source = map.lookup(split.getSrc());
  if (!source || rows || shapeOfTile(source).size() != type.getShape().size() + 1)
    return success(); // refused where its results are needed
  SmallVector<int64_t> corner(shapeOfTile(source).size(), 0), sizes(type.getShape());
  sizes.push_back(1);
  for (int64_t half : {0, 1}) {
    corner.back() = half;
    map[split->getResult(half)] = part(source, corner, sizes, type);
  }
  return success();
}

LogicalResult Translator::translateJoin(JoinOp join) {
  Value first = map.lookup(join.getLhs()), second = map.lookup(join.getRhs());
  auto to = cast<RankedTensorType>(typeOf(join.getResult().getType()));
  if (!first || !second || rows || shapeOfTile(first).size() + 1 != to.getShape().size())
    return success(); // refused where its result is needed
  Location loc = join.getLoc();
  SmallVector<int64_t> shape(to.getShape());
  shape.back() = 1;
  auto single = RankedTensorType::get(shape, to.getElementType());
  auto column = [&](Value value) -> Value {
    return tensor::ExpandShapeOp::create(builder, loc, single, value, joined(shapeOfTile(value), shape));
  };
  SmallVector<Value> columns{column(first), column(second)};
  map[join] = tensor::ConcatOp::create(builder, loc, to, static_cast<int64_t>(shape.size()) - 1, columns);
  return success();
}

} // namespace heddle::triton
