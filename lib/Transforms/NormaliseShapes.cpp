//===- NormaliseShapes.cpp - parts and shapes of tiles that layouts have ----===//
//
// What:      see the header.
// Where:     first of all, before anything looks at the shapes of tiles; the program stays sequential and executable.
// Rules:     concat      parts put into a tile of zeros, one after the other
//            reshape     at most one collapse and one expansion
//            ranks       a part of lower rank is a part of the same rank, reshaped
//            corners     a part whose corner is not constant, or not a multiple of its (rounded up) size, is computed
//                        as a part: of a load it is a load at another place, of element-wise operations the operations
//                        on parts of their operands. Where something else makes the tile, a constant part is put
//                        together of a few smaller ones.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/NormaliseShapes.h"
#include "PartsOfTiles.h"

#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Layout/LinearLayout.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
namespace heddle {
namespace {

/// Parts that one part may be put together of: half a row of 200 columns takes 11 of powers of two.
constexpr size_t mostPieces = 32;
constexpr StringRef tooManyPieces = "one that takes more pieces";

RankedTensorType tileType(Value tile) { return cast<RankedTensorType>(tile.getType()); }

Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
}

/// Some layout has this part in the threads that hold the whole.
bool isHeldPart(RankedTensorType whole, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  constexpr int64_t elementBytes = 4, warps = warpsPerGroup; // the answer is the same for all
  if (whole.getRank() > LinearLayout::kMaxRank)
    return false;
  return planWindow(blockedLayout(whole.getShape().vec(), elementBytes, warps, sizes.vec()), offsets.vec(), sizes.vec())
      .has_value();
}

struct Piece {
  SmallVector<int64_t> at, sizes; ///< within the part
};

/// The part of `sizes` in pieces that are held parts both at `here` of one tile and at `there` of another; several
/// dimensions are cut one after the other.
std::optional<SmallVector<Piece>> cut(RankedTensorType one, ArrayRef<int64_t> here, RankedTensorType other,
                                      ArrayRef<int64_t> there, ArrayRef<int64_t> sizes) {
  SmallVector<Piece> pieces{{SmallVector<int64_t>(sizes.size(), 0), SmallVector<int64_t>(sizes)}};
  for (size_t d = 0; d < sizes.size(); ++d) {
    auto whole = [&](ArrayRef<int64_t> shape) { return SmallVector<int64_t>(shape); };
    auto fits = [&](int64_t at, int64_t size) { // along d alone
      auto alone = [&](RankedTensorType type, int64_t offset) {
        SmallVector<int64_t> offsets(type.getRank(), 0), part = whole(type.getShape());
        offsets[d] = offset;
        part[d] = size;
        return isHeldPart(type, offsets, part);
      };
      return alone(one, here[d] + at) && alone(other, there[d] + at);
    };
    SmallVector<Piece> finer;
    for (const Piece &piece : pieces)
      for (int64_t at = 0; at < sizes[d];) {
        int64_t size = sizes[d] - at;
        while (!fits(at, size))
          size = llvm::PowerOf2Ceil(size) / 2;
        finer.push_back(piece);
        finer.back().at[d] = at;
        finer.back().sizes[d] = size;
        at += size;
        if (finer.size() > mostPieces)
          return std::nullopt;
      }
    pieces = std::move(finer);
  }
  return pieces;
}

class Normaliser {
public:
  explicit Normaliser(tile::KernelOp kernel) : kernel(kernel), dominance(kernel) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<tensor::EmptyOp, tensor::ReshapeOp, tensor::ConcatOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
              tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder b(op);
      FailureOr<Value> made = rewrite(b, op);
      if (failed(made))
        return failure();
      if (*made == op->getResult(0))
        continue;
      op->getResult(0).replaceAllUsesWith(*made);
      SmallVector<Value> operands(op->getOperands());
      op->erase();
      for (Value operand : operands) // the shape of a tensor.reshape is no tile
        if (Operation *def = operand.getDefiningOp(); def && isOpTriviallyDead(def))
          def->erase();
    }
    return success();
  }

private:
  FailureOr<Value> rewrite(OpBuilder &b, Operation *op) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return zeros(b, op->getLoc(), empty.getType());
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      return reshaped(b, op, reshape.getSource(), cast<RankedTensorType>(reshape.getType()));
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return concatenated(b, concat);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return extracted(b, slice);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return inserted(b, insert);
    return reshapeAsIs(op);
  }

  /// `source` in another shape of as many elements.
  FailureOr<Value> reshaped(OpBuilder &b, Operation *at, Value source, RankedTensorType to) {
    RankedTensorType from = tileType(source);
    if (from.getShape() == to.getShape())
      return source;
    if (auto groups = getReassociationIndicesForReshape(from, to)) {
      Operation *op = from.getRank() < to.getRank()
                          ? tensor::ExpandShapeOp::create(b, at->getLoc(), to, source, *groups).getOperation()
                          : tensor::CollapseShapeOp::create(b, at->getLoc(), to, source, *groups).getOperation();
      return reshapeAsIs(op);
    }
    auto line = RankedTensorType::get({from.getNumElements()}, from.getElementType());
    FailureOr<Value> flat = reshaped(b, at, source, line);
    return failed(flat) ? flat : reshaped(b, at, *flat, to);
  }

  static FailureOr<Value> reshapeAsIs(Operation *op) {
    if (!Reshape::of(op)->splitsBits())
      return op->emitOpError(
                 "expected a dimension whose parts are powers of two, but for the first that is not 1, got ")
                 << (isa<tensor::ExpandShapeOp>(op) ? op->getResult(0) : op->getOperand(0)).getType(),
             failure();
    return op->getResult(0);
  }

  FailureOr<Value> concatenated(OpBuilder &b, tensor::ConcatOp op) {
    Value whole = zeros(b, op.getLoc(), op.getResultType());
    SmallVector<int64_t> offsets(op.getResultType().getRank(), 0);
    for (Value part : op.getInputs()) {
      FailureOr<Value> next = put(b, op, part, whole, offsets);
      if (failed(next))
        return failure();
      whole = *next;
      offsets[op.getDim()] += tileType(part).getDimSize(op.getDim());
    }
    return whole;
  }

  static SmallVector<OpFoldResult> attributes(OpBuilder &b, ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(b.getContext(), values);
  }

  static Value take(OpBuilder &b, Location loc, Value whole, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    if (sizes == tileType(whole).getShape())
      return whole;
    SmallVector<int64_t> steps(sizes.size(), 1);
    return tensor::ExtractSliceOp::create(b, loc, RankedTensorType::get(sizes, tileType(whole).getElementType()), whole,
                                          attributes(b, offsets), attributes(b, sizes), attributes(b, steps));
  }

  /// `whole` with `part` at `offsets`, piece by piece where threads do not hold such parts.
  FailureOr<Value> put(OpBuilder &b, Operation *at, Value part, Value whole, ArrayRef<int64_t> offsets) {
    RankedTensorType type = tileType(part);
    SmallVector<int64_t> corner(type.getRank(), 0), steps(type.getRank(), 1);
    std::optional<SmallVector<Piece>> pieces = cut(tileType(whole), offsets, type, corner, type.getShape());
    if (!pieces)
      return refuse(at, tooManyPieces);
    for (const Piece &piece : *pieces) {
      SmallVector<int64_t> place;
      for (auto [offset, inside] : llvm::zip(offsets, piece.at))
        place.push_back(offset + inside);
      whole = tensor::InsertSliceOp::create(b, at->getLoc(), take(b, at->getLoc(), part, piece.at, piece.sizes), whole,
                                            attributes(b, place), attributes(b, piece.sizes), attributes(b, steps));
    }
    return whole;
  }

  static LogicalResult refuse(Operation *op, StringRef got) {
    return op->emitOpError("expected a part that begins at a multiple of its size, or at constants so that at most ")
           << mostPieces << " pieces do, or a part of what is loaded, got " << got;
  }

  static bool hasUnitSteps(ArrayRef<int64_t> steps) {
    return llvm::all_of(steps, [](int64_t step) { return step == 1; });
  }

  FailureOr<Value> inserted(OpBuilder &b, tensor::InsertSliceOp op) {
    if (ShapedType::isDynamicShape(op.getStaticOffsets()) || ShapedType::isDynamicShape(op.getStaticSizes()) ||
        !hasUnitSteps(op.getStaticStrides()))
      return op.emitOpError("expected a constant corner and size and steps of one, got others"), failure();
    auto type = RankedTensorType::get(op.getStaticSizes(), op.getType().getElementType());
    FailureOr<Value> part = reshaped(b, op, op.getSource(), type);
    return failed(part) ? part : put(b, op, *part, op.getDest(), op.getStaticOffsets());
  }

  FailureOr<Value> extracted(OpBuilder &b, tensor::ExtractSliceOp op) {
    if (ShapedType::isDynamicShape(op.getStaticSizes()) || !hasUnitSteps(op.getStaticStrides()))
      return op.emitOpError("expected a part of constant size and steps of one, got another"), failure();
    RankedTensorType whole = op.getSourceType();
    ArrayRef<int64_t> offsets = op.getStaticOffsets(), sizes = op.getStaticSizes();
    bool isConstant = !ShapedType::isDynamicShape(offsets);
    auto type = RankedTensorType::get(sizes, whole.getElementType());
    Value part;
    if (isConstant && isHeldPart(whole, offsets, sizes)) {
      if (op.getType().getRank() == whole.getRank())
        return op.getResult();
      part = take(b, op.getLoc(), op.getSource(), offsets, sizes);
    } else if (!(part = computed(b, op, op.getSource(), op.getMixedOffsets(), sizes))) {
      if (!isConstant)
        return refuse(op, "one of computed elements at a corner that is not constant");
      SmallVector<int64_t> corner(sizes.size(), 0), steps(sizes.size(), 1);
      std::optional<SmallVector<Piece>> pieces = cut(whole, offsets, type, corner, sizes);
      if (!pieces)
        return refuse(op, tooManyPieces);
      part = zeros(b, op.getLoc(), type);
      for (const Piece &piece : *pieces) {
        SmallVector<int64_t> place;
        for (auto [offset, inside] : llvm::zip(offsets, piece.at))
          place.push_back(offset + inside);
        part = tensor::InsertSliceOp::create(b, op.getLoc(), take(b, op.getLoc(), op.getSource(), place, piece.sizes),
                                             part, attributes(b, piece.at), attributes(b, piece.sizes),
                                             attributes(b, steps));
      }
    }
    return reshaped(b, op, part, op.getType());
  }

  /// The part of `tile` computed as a part; null where something makes the tile that knows no parts.
  Value computed(OpBuilder &b, tensor::ExtractSliceOp slice, Value tile, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<int64_t> sizes) {
    if (auto load = tile.getDefiningOp<tile::LoadOp>())
      return loaded(b, load, offsets, sizes);
    return computePart<OpFoldResult>(b, slice.getLoc(), tile, offsets, sizes,
                                     [&](Value operand, ArrayRef<OpFoldResult> at, ArrayRef<int64_t> part) {
                                       return computed(b, slice, operand, at, part);
                                     });
  }

  /// A load of a part: where the whole is loaded if its corner is known there, which must be so where the view changes.
  Value loaded(OpBuilder &b, tile::LoadOp load, ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> sizes) {
    bool knownThere = llvm::all_of(offsets, [&](OpFoldResult offset) {
      auto value = dyn_cast<Value>(offset);
      return !value || dominance.properlyDominates(value, load);
    });
    bool stored = tile::isStored(load.getView());
    if (load.getExtent() || (stored && !knownThere))
      return {};
    OpBuilder there = knownThere ? OpBuilder(load) : b;
    return loadPart(there, load, offsets, sizes);
  }

  tile::KernelOp kernel;
  DominanceInfo dominance;
};
} // namespace

LogicalResult normaliseShapes(tile::KernelOp kernel) { return Normaliser(kernel).run(); }

} // namespace heddle
