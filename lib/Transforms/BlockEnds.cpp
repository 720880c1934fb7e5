//===- BlockEnds.cpp - how a loop ends whose iterations take other blocks --------===//
//
// What:      the proof that iterations over blocks of another size visit the same positions, or that those at the upper
//            bound and behind it change nothing (BlockLoop.h). Where a program masks positions by their row alone
//            (causal attention, whose last rows may be none), that bound becomes the least of it and of the last
//            position that the loop as written visits.
// Where:     private to RetileLoops.cpp.
// Algorithm: for each number that the upper bound may be (the operands of a minimum), either both sizes divide its
//            distance from the lower bound, or all blocks that are loaded lie behind the end of their view from there
//            on, and everything that is folded is the fold's neutral element: loads are zero there, comparisons with
//            the bound are false, and what choices, products, exponentials and conversions make of that is followed.
//            What zero multiplies has to be finite. Without a proof, parts of blocks are visited up to the end of the
//            last block as written: the same positions.
//
//===----------------------------------------------------------------------===//
#include "Arithmetic.h"
#include "BlockLoop.h"
#include "heddle/Analysis/Differences.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/Divisibility.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/ViewUses.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
namespace heddle {
namespace {

Value withoutCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The number, or vector, that `tile` repeats, and the operations that repeat it, the last one first.
Value baseOf(Value tile, SmallVectorImpl<Operation *> *repeated = nullptr) {
  while (Operation *op = tile.getDefiningOp()) {
    if (!isa<tile::BroadcastOp, tensor::SplatOp>(op))
      break;
    if (repeated)
      repeated->push_back(op);
    tile = op->getOperand(0);
  }
  return tile;
}

/// The operand that is an upper bound of the other one where a comparison holds.
std::optional<unsigned> whatBounds(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  if (llvm::is_contained({Predicate::slt, Predicate::ult, Predicate::sle, Predicate::ule}, predicate))
    return 1;
  if (llvm::is_contained({Predicate::sgt, Predicate::ugt, Predicate::sge, Predicate::uge}, predicate))
    return 0;
  return std::nullopt;
}

/// What all elements of a tile surely are.
enum class Known {
  Nothing,
  Zero,
  LeastFloat,
  ZeroOrLeast, ///< scores of zero, some of them masked
  ZeroOrOne,   ///< exponentials of these
  False
};

/// The positions of a loop at `bound` and behind it.
class PositionsBehind {
public:
  /// With `end`, comparisons may be bounded, which are put there.
  PositionsBehind(BlockLoop &blocks, Value bound, BlockEnd *end)
      : blocks(blocks), loop(blocks.forOp()), bound(bound), end(end) {}

  /// Nothing is read there that the program does not read, and what is folded there is neutral.
  bool changeNothing() {
    if (!llvm::all_of(blocks.loads(), [&](auto seed) { return isBehindView(seed.first); }))
      return false;
    for (Operation &op : *loop.getBody()) {
      if (auto store = dyn_cast<tile::StoreOp>(op); store && !isBehindView(store))
        return false;
      if (!blocks.folds(&op))
        continue;
      auto reduce = dyn_cast<tile::ReduceOp>(op);
      if (!(reduce ? isNeutral(reduce) : addsNothing(cast<tile::DotOp>(op))))
        return false;
    }
    return true;
  }

private:
  bool addsNothing(tile::DotOp dot) { return isZeroProduct(dot.getA(), dot.getB()); }
  bool isZeroProduct(Value a, Value b) {
    return (of(a) == Known::Zero && isFinite(b)) || (of(b) == Known::Zero && isFinite(a));
  }

  bool isNeutral(tile::ReduceOp reduce) {
    Known is = of(reduce.getSource());
    switch (tile::foldOf(reduce)) {
    case tile::FoldKind::Add: return is == Known::Zero;
    case tile::FoldKind::Max: return is == Known::LeastFloat;
    default: return false;
    }
  }

  Known of(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Operation *op = value.getDefiningOp();
    return known[value] = op ? find(op) : Known::Nothing;
  }

  Known find(Operation *op) {
    if (matchPattern(op, m_NegInfFloat()))
      return Known::LeastFloat;
    if (matchPattern(op, m_AnyZeroFloat()))
      return Known::Zero;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return isBehindView(load) ? Known::Zero : Known::Nothing;
    if (std::optional<Rearrangement> moved = Rearrangement::of(op))
      return of(moved->source);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return isFalse(compare) ? Known::False : Known::Nothing;
    auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
    auto either = [&](Known what) { return operand(0) == what || operand(1) == what; };
    auto both = [&](Known what) { return operand(0) == what && operand(1) == what ? what : Known::Nothing; };
    auto where = [](bool is, Known what) { return is ? what : Known::Nothing; };
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return where(addsNothing(dot) && of(dot.getAcc()) == Known::Zero, Known::Zero);
    if (isa<arith::AndIOp>(op))
      return where(either(Known::False), Known::False);
    auto isZeroOrLeast = [&](unsigned i) {
      return operand(i) == Known::Zero || operand(i) == Known::LeastFloat || operand(i) == Known::ZeroOrLeast;
    };
    if (isa<arith::SelectOp>(op)) {
      if (operand(0) == Known::False || operand(1) == operand(2))
        return operand(2);
      return where(isZeroOrLeast(1) && isZeroOrLeast(2), Known::ZeroOrLeast);
    }
    if (isa<arith::TruncFOp, arith::ExtFOp>(op))
      return operand(0);
    if (isa<arith::SIToFPOp, arith::NegFOp, math::AbsFOp, math::TanhOp, math::ErfOp>(op))
      return where(operand(0) == Known::Zero, Known::Zero);
    if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op))
      return both(Known::Zero);
    if (isa<math::ExpOp, math::Exp2Op>(op))
      return operand(0) == Known::LeastFloat ? Known::Zero : where(isZeroOrLeast(0), Known::ZeroOrOne);
    if (isa<arith::DivFOp>(op))
      return where(operand(0) == Known::Zero && isPositive(op->getOperand(1)), Known::Zero);
    if (isa<arith::AddFOp, arith::SubFOp>(op)) { // a score that counts nothing, less a maximum
      Value x = op->getOperand(0), y = op->getOperand(1);
      bool adds = isa<arith::AddFOp>(op), least = lessens(x, y) || (adds && lessens(y, x));
      if ((operand(0) == Known::ZeroOrLeast && operand(1) == Known::Zero) ||
          (adds && operand(1) == Known::ZeroOrLeast && operand(0) == Known::Zero))
        return Known::ZeroOrLeast;
      return least ? Known::LeastFloat : both(Known::Zero);
    }
    if (isa<arith::MulFOp, math::FmaOp>(op)) {
      Value x = op->getOperand(0), y = op->getOperand(1), sum = isa<math::FmaOp>(op) ? op->getOperand(2) : Value();
      if ((operand(0) == Known::LeastFloat && isScale(y)) || (operand(1) == Known::LeastFloat && isScale(x)))
        return where(!sum || isFinite(sum), Known::LeastFloat);
      if ((operand(0) == Known::ZeroOrLeast && isScale(y)) || (operand(1) == Known::ZeroOrLeast && isScale(x)))
        return where(!sum || of(sum) == Known::Zero, Known::ZeroOrLeast);
      return where(isZeroProduct(x, y) && (!sum || of(sum) == Known::Zero), Known::Zero);
    }
    return Known::Nothing;
  }

  /// Whether a sum of the two is -inf, or a difference.
  bool lessens(Value least, Value other) { return of(least) == Known::LeastFloat && isFinite(other); }

  /// Whether `value` scales scores, masked ones among them: it is a positive number, or the program's own for all
  /// positions, which is taken for one (docs/TileDialect.md).
  bool isScale(Value value) {
    Value number = baseOf(value);
    if (DenseFPElementsAttr numbers; matchPattern(number, m_Constant(&numbers)))
      return numbers.isSplat() && isPositive(numbers.getSplatValue<APFloat>());
    if (FloatAttr one; matchPattern(number, m_Constant(&one)))
      return isPositive(one.getValue());
    return !blocks.blockDimensions(number);
  }
  static bool isPositive(const APFloat &number) {
    return number.isFinite() && number.isNonZero() && !number.isNegative();
  }

  /// Whether all of `value` is greater than zero, or not less, infinite maybe: as in the quotient of a logistic
  /// function.
  bool isPositive(Value value, bool orZero = false) {
    Operation *op = value.getDefiningOp();
    if (DenseFPElementsAttr numbers; matchPattern(value, m_Constant(&numbers)))
      return numbers.isSplat() && isPositive(numbers.getSplatValue<APFloat>());
    if (isa_and_nonnull<math::ExpOp, math::Exp2Op, math::AbsFOp>(op))
      return orZero && isFinite(op->getOperand(0));
    if (!isa_and_nonnull<arith::AddFOp>(op))
      return false;
    Value a = op->getOperand(0), b = op->getOperand(1);
    return (isPositive(a, orZero) && isPositive(b, true)) || (isPositive(a, true) && isPositive(b, orZero));
  }

  /// Whether no element that `value` has of these positions is infinite, or no number, unless those of others are: what
  /// all positions have in common is taken for finite. Not memory that the program does not read: nobody may have
  /// written it, or it is that of another tensor (views of Triton's kernels have no end). Not exponentials, which
  /// overflow (of zero less a negative statistic of the row), nor what is rounded to fewer bits, but for zeros and 1.
  bool isFinite(Value value) {
    if (!blocks.blockDimensions(value) || of(value) == Known::Zero || of(value) == Known::ZeroOrOne)
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || of(value) == Known::LeastFloat || of(value) == Known::ZeroOrLeast)
      return false;
    if (!isa<FloatType>(getElementTypeOrSelf(value)) || isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return true;
    DenseFPElementsAttr numbers;
    if (matchPattern(op, m_Constant(&numbers)))
      return numbers.isSplat() && numbers.getSplatValue<APFloat>().isFinite();
    if (std::optional<Rearrangement> moved = Rearrangement::of(op))
      return isFinite(moved->source);
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return isFinite(splat.getInput());
    if (auto choice = dyn_cast<arith::SelectOp>(op); choice && of(choice.getCondition()) == Known::False)
      return isFinite(choice.getFalseValue());
    if (auto quotient = dyn_cast<arith::DivFOp>(op))
      return isFinite(quotient.getLhs()) && isPositive(quotient.getRhs());
    bool keeps = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp, arith::NegFOp, arith::ExtFOp,
                     arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                     math::AbsFOp, math::TanhOp, math::ErfOp>(op);
    return keeps && llvm::all_of(op->getOperands(), [&](Value operand) { return isFinite(operand); });
  }

  /// Whether all that the tile has of these positions lies behind the end of its view.
  bool isBehindView(tile::LoadOp load) {
    for (auto [seed, dim] : blocks.loads())
      if (seed == load) {
        int64_t d = load.getTileDims()[dim];
        return beginsBehind(load.getIndices()[d], load.getView(), d);
      }
    return false;
  }

  /// Nothing is stored there.
  bool isBehindView(tile::StoreOp store) {
    SmallVector<int64_t> dims = store.getTileDims();
    for (auto [d, dim] : llvm::enumerate(dims))
      if (blocks.isOfBlock(store.getValue(), static_cast<int64_t>(d)))
        return beginsBehind(store.getIndices()[dim], store.getView(), dim);
    return false;
  }

  bool beginsBehind(Value index, Value view, int64_t dim) {
    index = withoutCasts(index);
    if (index == loop.getInductionVar())
      return isEndOf(bound, view, dim);
    auto product = index.getDefiningOp<arith::MulIOp>();
    Value counted = numberInBlocks(bound);
    for (unsigned i : {0, 1})
      if (product && counted && withoutCasts(product->getOperand(i)) == loop.getInductionVar())
        return getConstantIntValue(product->getOperand(1 - i)) == blocks.extent() && isEndOf(counted, view, dim);
    return false;
  }

  /// x of "x in blocks, rounded up"; null: `value` is something else.
  Value numberInBlocks(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2 || getConstantIntValue(op->getOperand(1)) != blocks.extent())
      return {};
    if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
      return withoutCasts(op->getOperand(0));
    auto more = withoutCasts(op->getOperand(0)).getDefiningOp<arith::AddIOp>();
    if (!isa<arith::DivUIOp, arith::DivSIOp>(op) || !more)
      return {};
    for (unsigned i : {0, 1})
      if (getConstantIntValue(more->getOperand(i)) == blocks.extent() - 1)
        return withoutCasts(more->getOperand(1 - i));
    return {};
  }

  /// Whether `value` is the size of the view along `dim`, or more.
  static bool isEndOf(Value value, Value view, int64_t dim) {
    if (auto window = view.getDefiningOp<tile::WindowOp>())
      return withoutCasts(window.getSizes()[dim]) == value;
    auto argument = dyn_cast<BlockArgument>(view);
    auto kernel = argument ? dyn_cast<tile::KernelOp>(argument.getOwner()->getParentOp()) : tile::KernelOp();
    if (!kernel)
      return false;
    if (auto scalar = dyn_cast<BlockArgument>(value); scalar && scalar.getOwner() == argument.getOwner())
      return tile::sizeArgument(kernel, argument.getArgNumber(), dim) == scalar.getArgNumber();
    return tile::isSizeOf(value, argument, dim);
  }

  /// "position < x", or the same turned: where x is the bound, or is bounded.
  bool isFalse(arith::CmpIOp compare) {
    std::optional<unsigned> bounds = whatBounds(compare.getPredicate());
    if (!bounds || !isPosition(compare->getOperand(1 - *bounds)))
      return false;
    using Predicate = arith::CmpIPredicate;
    bool less =
        llvm::is_contained({Predicate::slt, Predicate::ult, Predicate::sgt, Predicate::ugt}, compare.getPredicate());
    Value x = baseOf(compare->getOperand(*bounds));
    if (less && isBound(withoutCasts(x)))
      return true;
    if (!end || !mayBound(x))
      return false;
    if (!llvm::is_contained(end->compares, std::pair(compare, *bounds)))
      end->compares.push_back({compare, *bounds});
    return true;
  }
  bool isBound(Value number) const {
    std::optional<int64_t> constant = getConstantIntValue(number), ofBound = getConstantIntValue(bound);
    auto size = number.getDefiningOp<tile::DimOp>();
    return number == bound || (constant && ofBound && *constant <= *ofBound) ||
           (size && isEndOf(bound, size.getView(), static_cast<int64_t>(size.getDim())));
  }
  /// Whether a minimum with `x` can stand before the loop.
  bool mayBound(Value x) { return !blocks.blockDimensions(x) && loop.isDefinedOutsideOfLoop(x); }

  /// The loop's variable plus the positions of a block.
  bool isPosition(Value tile) {
    auto sum = baseOf(tile).getDefiningOp<arith::AddIOp>();
    for (unsigned i : {0, 1})
      if (sum && withoutCasts(baseOf(sum->getOperand(1 - i))) == loop.getInductionVar()) {
        auto counts = baseOf(sum->getOperand(i)).getDefiningOp<tile::IotaOp>();
        return counts && blocks.isOfBlock(counts, 0) && counts.getStart() == 0;
      }
    return false;
  }

  BlockLoop &blocks;
  scf::ForOp loop;
  Value bound;
  BlockEnd *end;
  DenseMap<Value, Known> known;
};

/// The numbers of which `bound` is the least.
void findBounds(Value bound, SmallVectorImpl<Value> &least) {
  bound = withoutCasts(bound);
  if (Operation *op = bound.getDefiningOp(); isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op)) {
    findBounds(op->getOperand(0), least);
    findBounds(op->getOperand(1), least);
    return;
  }
  least.push_back(bound);
}

} // namespace

/// What the distance from `from` to `to` is surely a multiple of.
static int64_t distanceDivisor(Value from, Value to) {
  if (std::optional<int64_t> distance = knownDifference(to, from))
    return *distance;
  auto sum = to.getDefiningOp<arith::AddIOp>();
  return sum && sum.getLhs() == from ? knownDivisor(sum.getRhs()) : std::gcd(knownDivisor(to), knownDivisor(from));
}

std::optional<BlockEnd> endWith(BlockLoop &blocks, int64_t positions) {
  scf::ForOp loop = blocks.forOp();
  SmallVector<Value> bounds;
  findBounds(loop.getUpperBound(), bounds);
  BlockEnd end;
  // Positions that the loop as written visits have to be visited, unless they change nothing as it is.
  bool visitsAll = positions % blocks.extent() == 0;
  int64_t all = std::lcm(positions, blocks.extent()) / blocks.extent() * blocks.step();
  for (Value bound : bounds) {
    if (distanceDivisor(loop.getLowerBound(), bound) % all &&
        !PositionsBehind(blocks, bound, nullptr).changeNothing() &&
        !(visitsAll && blocks.extent() == blocks.step() && PositionsBehind(blocks, bound, &end).changeNothing())) {
      if (blocks.extent() % positions != 0)
        return std::nullopt;
      return BlockEnd{{}, /*wholeBlocks=*/true};
    }
  }
  return end;
}

/// Where the last block of the loop as written ends.
static Value endOfBlocks(OpBuilder &b, Location loc, const BlockLoop &blocks) {
  scf::ForOp loop = blocks.forOp();
  Arithmetic a(b, loc);
  auto asIndex = [&](Value value) -> Value {
    return value.getType().isIndex() ? value : arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  };
  Value from = asIndex(loop.getLowerBound()), step = a.constant(blocks.step());
  Value trips = arith::CeilDivSIOp::create(b, loc, a.sub(asIndex(loop.getUpperBound()), from), step);
  return a.add(from, a.mul(trips, step));
}

void BlockEnd::narrow(const BlockLoop &blocks) const {
  scf::ForOp loop = blocks.forOp();
  if (wholeBlocks) {
    OpBuilder b(loop);
    Value last = endOfBlocks(b, loop.getLoc(), blocks);
    if (Type type = loop.getUpperBound().getType(); !type.isIndex())
      last = arith::IndexCastOp::create(b, loop.getLoc(), type, last);
    loop.setUpperBound(last);
  }
  for (auto [compare, operand] : compares) {
    OpBuilder b(loop);
    Location loc = compare.getLoc();
    SmallVector<Operation *> repeated;
    Value x = baseOf(compare->getOperand(operand), &repeated);
    Value last = endOfBlocks(b, loc, blocks); // less one where the comparison holds for equal numbers
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    if (llvm::is_contained({Predicate::sle, Predicate::ule, Predicate::sge, Predicate::uge}, predicate))
      last = Arithmetic(b, loc).sub(last, Arithmetic(b, loc).constant(1));
    Type element = getElementTypeOrSelf(x);
    if (!element.isIndex())
      last = arith::IndexCastOp::create(b, loc, element, last);
    if (isa<RankedTensorType>(x.getType()))
      last = tensor::SplatOp::create(b, loc, last, x.getType());
    bool isSigned = llvm::is_contained({Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge}, predicate);
    Value bounded = isSigned ? arith::MinSIOp::create(b, loc, x, last).getResult()
                             : arith::MinUIOp::create(b, loc, x, last).getResult();
    for (Operation *op : llvm::reverse(repeated)) {
      b.setInsertionPoint(loop->isProperAncestor(op) ? op : loop.getOperation());
      Operation *copy = b.clone(*op);
      copy->setOperand(0, bounded);
      bounded = copy->getResult(0);
    }
    compare->setOperand(operand, bounded);
  }
}

} // namespace heddle
