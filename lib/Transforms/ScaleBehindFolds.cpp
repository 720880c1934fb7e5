//===- ScaleBehindFolds.cpp - scales of scores behind their maximum ---------===//
//
// What:      %y = arith.mulf %x, (tensor.splat %s);  tile.reduce "max" %y;  arith.subf %y, %m
//            ->  tile.reduce "max" %x towards %s, times %s;  arith.subf (arith.mulf %x, %s), %m
//            and  math.exp (arith.subf %x, (tile.broadcast %m))
//            ->  math.exp2 (arith.subf (arith.mulf %x, log2(e)), (tile.broadcast (arith.mulf %m, log2(e))))
//            and so the exponential of a difference of two rows of which one is such a %m.
//            A constant scale needs no direction. Choices between %y and the element that changes no fold (a mask)
//            choose between %x and the infinity that the scale turns into that element.
// Where:     on the whole program, before factors are marked and sub-tiling divides tiles; kernels with dots.
// Why:       a product and a difference of it are one instruction (FFMA). A maximum of products needs each product by
//            itself, between the two dots of attention, where arithmetic takes the tensor core's time.
// Condition: the scaled tile has no other use than folds to an extreme, sums and differences, and it is a score: a
//            dot's result or a tanh, scaled, with infinities where a mask hides it. Others may hold finite numbers in
//            the place of infinity: -3.4e38 minus itself, one product of the two rounded, is far from zero.
// Rounding:  products round monotonically, so that the greatest product is the product of the greatest element, to the
//            bit. A scale of zero becomes the least normal number where masks depend on it: zero times an infinity is
//            no number. exp(a - b) rounds b log2(e) before the difference: an error of |b| 2^-24 of the exponent.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/ScaleBehindFolds.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/Fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
namespace heddle {
namespace {

bool isWideF32(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && tile.getRank() > 1 && tile.getElementType().isF32();
}

/// The constant of f32 that `tile` has everywhere.
std::optional<APFloat> constantOf(Value tile) {
  DenseElementsAttr elements;
  if (!matchPattern(tile, m_Constant(&elements)) || !elements.isSplat() || !elements.getElementType().isF32())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

/// A number that a tile has everywhere: a scalar of the program, or a constant.
struct Scale {
  Value scalar; ///< null: the constant
  double constant = 0;

  static std::optional<Scale> of(Value tile) {
    if (auto splat = tile.getDefiningOp<tensor::SplatOp>()) {
      APFloat number(0.0F);
      if (matchPattern(splat.getInput(), m_ConstantFloat(&number)))
        return Scale{{}, number.convertToDouble()};
      return Scale{splat.getInput()};
    }
    if (std::optional<APFloat> constant = constantOf(tile))
      return Scale{{}, constant->convertToDouble()};
    return std::nullopt;
  }
};

/// `value` as a scalar of f32.
Value number(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

/// A tile of `type` with `scale` everywhere.
Value spread(OpBuilder &b, Location loc, const Scale &scale, Type type) {
  auto tile = cast<RankedTensorType>(type);
  if (scale.scalar)
    return tensor::SplatOp::create(b, loc, scale.scalar, tile);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tile, b.getF32FloatAttr(static_cast<float>(scale.constant)).getValue()));
}

/// Behind what makes `scalar`, so that loops do not compute what is made of it.
void putBehind(OpBuilder &b, Value scalar) {
  if (Operation *def = scalar.getDefiningOp())
    b.setInsertionPointAfter(def);
  else
    b.setInsertionPointToStart(cast<BlockArgument>(scalar).getOwner());
}

/// The factor of `product` that is alike everywhere, and the other one.
std::optional<std::pair<Scale, Value>> scaledOf(arith::MulFOp product) {
  for (unsigned operand : {1u, 0u})
    if (std::optional<Scale> scale = Scale::of(product->getOperand(operand)))
      if (Value tile = product->getOperand(1 - operand); !Scale::of(tile))
        return std::pair(*scale, tile);
  return std::nullopt;
}

/// Whether `tile` is a score, as the head of this file says.
bool isScore(Value tile) {
  Operation *def = tile.getDefiningOp();
  if (auto product = dyn_cast_or_null<arith::MulFOp>(def)) {
    std::optional<std::pair<Scale, Value>> parts = scaledOf(product);
    return parts && isScore(parts->second);
  }
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(def))
    return llvm::all_of(ValueRange{choice.getTrueValue(), choice.getFalseValue()}, [](Value side) {
      if (std::optional<Scale> number = Scale::of(side)) // of a scalar: what this pass makes of an infinity
        return number->scalar || std::isinf(number->constant);
      return isScore(side);
    });
  return isa_and_nonnull<tile::DotOp, math::TanhOp>(def);
}

/// A fold of a scaled tile to its greatest or least element.
class ScaledFold {
public:
  explicit ScaledFold(tile::ReduceOp fold) : fold(fold), scaled(fold.getSource()) {}

  /// Whether the scale may stand behind the fold and gains by that.
  bool matches() {
    tile::FoldKind kind = tile::foldOf(fold);
    if (!tile::isExtreme(kind) || fold.getDirection() || !isWideF32(scaled))
      return false;
    Value below = scaled;
    const APFloat neutral = cast<FloatAttr>(tile::neutralOf(kind, fold.getType().getElementType())).getValue();
    while (auto choice = below.getDefiningOp<arith::SelectOp>()) {
      auto isNeutral = [&](Value tile) {
        std::optional<APFloat> constant = constantOf(tile);
        return constant && constant->bitwiseIsEqual(neutral);
      };
      unsigned masked = isNeutral(choice.getFalseValue()) ? 2 : 1;
      if (!isa<RankedTensorType>(choice.getCondition().getType()) || !isNeutral(choice->getOperand(masked)))
        return false;
      masks.push_back({choice, masked});
      below = choice->getOperand(3 - masked);
      if (!below.hasOneUse())
        return false;
    }
    product = below.getDefiningOp<arith::MulFOp>();
    std::optional<std::pair<Scale, Value>> parts = product ? scaledOf(product) : std::nullopt;
    if (!parts)
      return false;
    std::tie(scale, unscaled) = *parts;
    if (!isScore(unscaled))
      return false;
    if (!scale.scalar && (scale.constant == 0 || !std::isfinite(scale.constant)))
      return false;
    return llvm::all_of(scaled.getUsers(), [&](Operation *user) {
      return user == fold || isa<arith::SubFOp, arith::AddFOp>(user) || isFoldToExtreme(user);
    });
  }

  void rewrite() {
    OpBuilder b(fold);
    if (!masks.empty() && scale.scalar)
      avoidZero(b);
    Value folded = unscaled;
    for (auto [choice, masked] : llvm::reverse(masks)) {
      b.setInsertionPoint(choice);
      IRMapping map;
      map.map(choice->getOperand(3 - masked), folded);
      map.map(choice->getOperand(masked), spread(b, choice.getLoc(), infinityOf(b), choice.getType()));
      folded = b.clone(*choice, map)->getResult(0);
    }
    Location loc = product.getLoc();
    llvm::SmallSetVector<Operation *, 4> users(scaled.user_begin(), scaled.user_end());
    for (Operation *user : users) {
      b.setInsertionPoint(user);
      if (!isFoldToExtreme(user)) {
        Value product = arith::MulFOp::create(b, loc, folded, spread(b, loc, scale, folded.getType()));
        user->replaceUsesOfWith(scaled, product);
        continue;
      }
      auto reduce = cast<tile::ReduceOp>(user);
      tile::FoldKind kind = tile::foldOf(reduce);
      if (!scale.scalar)
        kind = tile::towards(kind, scale.constant);
      Value extreme = tile::ReduceOp::create(b, reduce.getLoc(), reduce.getType(), tile::nameOf(kind), folded,
                                             reduce.getAxis(), scale.scalar);
      Value scaledExtreme = arith::MulFOp::create(b, loc, extreme, spread(b, loc, scale, extreme.getType()));
      reduce.getResult().replaceAllUsesWith(scaledExtreme);
      reduce.erase();
    }
    for (auto [choice, masked] : masks)
      choice.erase();
    product.erase();
  }

private:
  static bool isFoldToExtreme(Operation *op) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    return reduce && tile::isExtreme(tile::foldOf(reduce)) && !reduce.getDirection();
  }

  /// The scale, or the least normal number in the place of zero.
  void avoidZero(OpBuilder &b) {
    putBehind(b, scale.scalar);
    Location loc = scaled.getLoc();
    Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, scale.scalar, number(b, loc, 0));
    scale.scalar = arith::SelectOp::create(b, loc, none, number(b, loc, FLT_MIN), scale.scalar);
  }

  /// What the scale turns into the element that the fold ignores.
  Scale infinityOf(OpBuilder &b) {
    double neutral = tile::foldOf(fold) == tile::FoldKind::Max ? -INFINITY : INFINITY;
    if (!scale.scalar)
      return {{}, scale.constant < 0 ? -neutral : neutral};
    if (!infinity) {
      OpBuilder::InsertionGuard guard(b);
      putBehind(b, scale.scalar);
      Location loc = scaled.getLoc();
      Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, scale.scalar, number(b, loc, 0));
      infinity = arith::SelectOp::create(b, loc, below, number(b, loc, -neutral), number(b, loc, neutral));
    }
    return {infinity};
  }

  tile::ReduceOp fold;
  Value scaled, unscaled;
  arith::MulFOp product;
  Scale scale;
  SmallVector<std::pair<arith::SelectOp, unsigned>> masks; ///< and which operand is the masked element's, outer first
  Value infinity;
};

/// exp(a - b) as a power of two.
class PowersOfTwo {
public:
  /// Of scores and of rows or columns that are taken from them.
  void takeScores(math::ExpOp exponential) {
    arith::SubFOp difference = differenceOf(exponential);
    if (!difference || !isWideF32(exponential.getResult()))
      return;
    auto repeated = difference.getRhs().getDefiningOp<tile::BroadcastOp>();
    if (!repeated || !isScore(difference.getLhs()))
      return;
    OpBuilder b(difference);
    rows.insert(repeated.getSource());
    Value left = timesLog2OfE(b, difference.getLhs()), row = timesLog2OfE(b, repeated.getSource());
    Value right = tile::BroadcastOp::create(b, repeated.getLoc(), repeated.getType(), row, repeated.getAxis());
    replace(exponential, difference, left, right);
  }

  /// Of the difference of two such rows, which are scaled: the factor by which a maximum that changes scales sums.
  /// (Other rows may hold finite numbers in the place of infinity.)
  void takeRows(math::ExpOp exponential) {
    arith::SubFOp difference = differenceOf(exponential);
    auto product = difference ? difference.getRhs().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
    if (!product || !scaledOf(product) || !rows.contains(product))
      return;
    OpBuilder b(difference);
    Value left = timesLog2OfE(b, difference.getLhs()), right = timesLog2OfE(b, difference.getRhs());
    replace(exponential, difference, left, right);
  }

private:
  static arith::SubFOp differenceOf(math::ExpOp exponential) {
    auto difference = exponential.getOperand().getDefiningOp<arith::SubFOp>();
    return difference && difference->hasOneUse() ? difference : arith::SubFOp();
  }

  /// `value`, at `b`; what scales it and log2(e) are one factor.
  Value timesLog2OfE(OpBuilder &b, Value value) {
    constexpr double log2OfE = 1.4426950408889634;
    Location loc = value.getLoc();
    Scale factor{{}, log2OfE};
    Value from = value;
    if (auto product = value.getDefiningOp<arith::MulFOp>())
      if (auto parts = scaledOf(product)) {
        auto [scale, unscaled] = *parts;
        from = unscaled;
        if (scale.scalar) {
          Value &known = factors[scale.scalar];
          if (!known) {
            OpBuilder::InsertionGuard guard(b);
            putBehind(b, scale.scalar);
            known = arith::MulFOp::create(b, loc, scale.scalar, number(b, loc, log2OfE));
          }
          factor.scalar = known;
        } else {
          factor.constant *= scale.constant;
        }
      }
    return arith::MulFOp::create(b, loc, from, spread(b, loc, factor, from.getType()));
  }

  static void replace(math::ExpOp exponential, arith::SubFOp difference, Value left, Value right) {
    OpBuilder b(exponential);
    Value exponent = arith::SubFOp::create(b, difference.getLoc(), left, right);
    exponential.getResult().replaceAllUsesWith(math::Exp2Op::create(b, exponential.getLoc(), exponent));
    SmallVector<Operation *> unused{difference.getLhs().getDefiningOp(), difference.getRhs().getDefiningOp()};
    exponential.erase();
    difference.erase();
    for (Operation *op : unused)
      if (op && isOpTriviallyDead(op))
        op->erase();
  }

  llvm::DenseSet<Value> rows;     ///< what is subtracted from scores
  DenseMap<Value, Value> factors; ///< scales times log2(e)
};

} // namespace

void scaleBehindFolds(tile::KernelOp kernel) {
  if (!hasDots(kernel))
    return;
  SmallVector<tile::ReduceOp> folds;
  SmallVector<math::ExpOp> exponentials;
  kernel.walk([&](Operation *op) {
    if (auto fold = dyn_cast<tile::ReduceOp>(op))
      folds.push_back(fold);
    else if (auto exponential = dyn_cast<math::ExpOp>(op))
      exponentials.push_back(exponential);
  });
  llvm::SmallPtrSet<Operation *, 8> gone;
  for (tile::ReduceOp fold : folds) {
    if (gone.contains(fold))
      continue;
    ScaledFold scaled(fold);
    if (!scaled.matches())
      continue;
    for (Operation *user : fold.getSource().getUsers())
      gone.insert(user);
    scaled.rewrite();
  }
  PowersOfTwo powers;
  for (math::ExpOp exponential : exponentials)
    if (isWideF32(exponential.getResult()))
      powers.takeScores(exponential);
  kernel.walk([&](math::ExpOp exponential) { powers.takeRows(exponential); });
}

} // namespace heddle
