//===- RunningSums.cpp - variables of a loop that fold any blocks ---------------===//
//
// What:      the proof that one iteration over two blocks does what two iterations do (BlockLoop.h). It holds for
//            loops whose variables are
//              extremes  m' = max(m, fold max X)                            (or min; or fold max X times a number), and
//              sums      c' = c * exp(k (m - m')) + fold add (exp(x - k m') * W)   (or without exponentials),
//            where X, x and W are functions of positions and k of what the loop does not change: then
//            c = sum of exp(x - k m) * W over all positions so far, and of what the loop begins with, whatever the
//            blocks were. Several extremes may stand in an exponent.
// Where:     private to RetileLoops.cpp.
// Algorithm: what a variable is yielded is taken apart into terms (sums), those into factors (products), and exponents
//            into multiples of extremes. Folds are tile.reduce and the contractions of dots.
// A number:  whose sign is unknown and that multiplies fold max X may make of m' something else than the greatest so
//            far, where it is negative. All sums then have another factor exp(-k m'), which quotients of them do not
//            see; m' may be read by what goes on with all of them, or be added to the logarithm of one.
// Exact:     in the arithmetic of real numbers. A row that has seen nothing (its maximum is still -inf) gets
//            exp(-inf + inf) in a program that does not expect it; one that does expects it by a choice of another
//            number for -inf, which is looked through: the sums are zero then. Behind longer blocks no row has seen
//            less; for parts of blocks RetileLoops.cpp makes that choice.
//
//===----------------------------------------------------------------------===//
#include "BlockLoop.h"

#include "heddle/Dialect/Tile/Constants.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/Rearrangement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {
namespace {

/// A number times values that the loop does not change.
struct Coefficient {
  double number = 1;
  SmallVector<Value> values; ///< by address: they are only compared

  bool operator==(const Coefficient &) const = default;
  void times(const Coefficient &other) {
    number *= other.number;
    values.append(other.values);
    llvm::sort(values, [](Value a, Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); });
  }
};

/// Multiples of extremes: of a variable as an iteration finds it, or as it leaves it. No number is zero.
using Multiples = llvm::MapVector<Value, Coefficient>;

/// x += factor * y, where coefficients of one extreme differ in their number at most.
bool add(Multiples &x, const Multiples &y, const Coefficient &factor) {
  for (auto &[extreme, coefficient] : y) {
    Coefficient scaled = coefficient;
    scaled.times(factor);
    auto [it, isNew] = x.insert({extreme, scaled});
    if (isNew)
      continue;
    if (it->second.values != scaled.values)
      return false;
    it->second.number += scaled.number;
    if (it->second.number == 0)
      x.erase(extreme);
  }
  return true;
}

/// What the exponentials of a product say: which function they are, the multiples of extremes in their exponents, and
/// whether these have more terms: what multiplies a variable in each iteration may have none.
struct Exponent {
  Multiples multiples;
  bool hasMore = false;
  std::optional<bool> base2;
};

class RunningSums {
public:
  explicit RunningSums(BlockLoop &blocks) : blocks(blocks), loop(blocks.forOp()) {}

  Folded find() {
    auto yielded = loop.getYieldedValues();
    for (auto [argument, next, result] : llvm::zip(loop.getRegionIterArgs(), yielded, loop.getResults()))
      if (isExtreme(argument, next, result)) {
        extremes.insert(argument);
        left[next] = argument;
      }
    bool folds = llvm::all_of(llvm::zip(loop.getRegionIterArgs(), yielded), [&](auto pair) {
      auto [argument, next] = pair;
      return extremes.contains(argument) || next == argument || isSum(argument, next);
    });
    return !folds ? Folded::Nothing : extremes.empty() ? Folded::Sums : Folded::Extremes;
  }

private:
  //===--- extremes -----------------------------------------------------------------------------===//

  bool isExtreme(BlockArgument argument, Value next, Value result) {
    Operation *op = next.getDefiningOp();
    std::optional<tile::FoldKind> kind = op && op->getNumOperands() == 2 ? tile::foldOf(op) : std::nullopt;
    return kind && tile::isExtreme(*kind) && takesArgument(argument, next, *kind, result) == 1;
  }

  /// How often `value`, made of extremes of kind `kind`, takes `argument`; -1: it is something else.
  int takesArgument(BlockArgument argument, Value value, tile::FoldKind kind, Value result) {
    if (value == argument)
      return 1;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return -1;
    if (op->getNumOperands() == 2 && tile::foldOf(op) == kind) {
      int x = takesArgument(argument, op->getOperand(0), kind, result),
          y = takesArgument(argument, op->getOperand(1), kind, result);
      return x < 0 || y < 0 ? -1 : x + y;
    }
    return isFoldOf(value, kind, result) ? 0 : -1;
  }

  /// Whether `value` is the extreme of a block, or that times a number: a positive one, or one of which the sign does
  /// not matter, since behind the loop the extreme is added to a logarithm only, of a sum that it has rescaled.
  bool isFoldOf(Value value, tile::FoldKind kind, Value result) {
    if (auto product = value.getDefiningOp<arith::MulFOp>())
      for (unsigned i : {0, 1}) {
        std::optional<Coefficient> factor = unchanging(product->getOperand(i));
        if (factor && (factor->values.empty() ? factor->number > 0 : isAddedToLogarithms(result)))
          return isFoldOf(product->getOperand(1 - i), kind, result);
      }
    auto reduce = value.getDefiningOp<tile::ReduceOp>();
    return reduce && blocks.folds(reduce) && tile::foldOf(reduce) == kind && blocks.isOfPositions(reduce.getSource());
  }

  static bool isLogarithm(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto product = value.getDefiningOp<arith::MulFOp>())
      return isLogarithm(product.getLhs()) || isLogarithm(product.getRhs());
    return isa_and_nonnull<math::LogOp, math::Log2Op>(op);
  }
  bool isAddedToLogarithms(Value result) const {
    return llvm::all_of(result.getUses(), [&](OpOperand &use) {
      if (auto sum = dyn_cast<arith::AddFOp>(use.getOwner()))
        return isLogarithm(sum->getOperand(1 - use.getOperandNumber()));
      auto next = dyn_cast<scf::ForOp>(use.getOwner()); // which goes on with it
      if (!next || !next.getTiedLoopResult(&use))
        return false;
      BlockLoop others(next, blocks.dimensions());
      return others.hasBlocks() && variablesOf(others) == Folded::Extremes &&
             isAddedToLogarithms(next.getTiedLoopResult(&use));
    });
  }

  //===--- sums ---------------------------------------------------------------------------------===//

  /// A term of a sum: the variable, or the fold of a block, with the exponentials that it is multiplied by.
  struct Term {
    bool ofVariable = false;
    Exponent exponent = {};
  };

  bool isSum(BlockArgument argument, Value next) {
    SmallVector<Term, 2> terms;
    if (!takeApart(argument, next, terms) || llvm::count_if(terms, [](Term &term) { return term.ofVariable; }) != 1)
      return false;
    const Exponent &own = llvm::find_if(terms, [](Term &term) { return term.ofVariable; })->exponent;
    std::optional<Multiples> ofFolds = rescaled(own.multiples);
    return ofFolds && !own.hasMore && llvm::all_of(terms, [&](const Term &term) {
             return term.ofVariable || (equal(term.exponent.multiples, *ofFolds) &&
                                        (ofFolds->empty() || term.exponent.base2 == own.base2));
           });
  }

  /// Of k (m - m'), for each extreme: -k m'. None: it is something else.
  std::optional<Multiples> rescaled(const Multiples &own) const {
    Multiples after, both;
    for (auto &[extreme, coefficient] : own)
      if (left.contains(extreme))
        after.insert({extreme, coefficient});
    for (auto &[extreme, coefficient] : after)
      both.insert({left.lookup(extreme), coefficient});
    return add(both, own, Coefficient()) && equal(both, after) ? std::optional(after) : std::nullopt;
  }

  static bool equal(const Multiples &x, const Multiples &y) {
    return x.size() == y.size() && llvm::all_of(x, [&](auto &entry) {
             auto it = y.find(entry.first);
             return it != y.end() && it->second == entry.second;
           });
  }

  bool takeApart(BlockArgument argument, Value value, SmallVectorImpl<Term> &terms) {
    if (value == argument) {
      terms.push_back({true});
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return false;
    if (isa<arith::AddFOp, arith::AddIOp>(op))
      return takeApart(argument, op->getOperand(0), terms) && takeApart(argument, op->getOperand(1), terms);
    if (isa<arith::SubFOp, arith::SubIOp>(op)) {
      SmallVector<Term, 2> less;
      bool taken = takeApart(argument, op->getOperand(0), terms) && takeApart(argument, op->getOperand(1), less) &&
                   llvm::none_of(less, [](Term &term) { return term.ofVariable; });
      terms.append(less);
      return taken;
    }
    if (auto fma = dyn_cast<math::FmaOp>(op))
      return takeProduct(argument, {fma.getA(), fma.getB()}, terms) && takeApart(argument, fma.getC(), terms);
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && blocks.folds(dot)) {
      terms.push_back({});
      return weigh(dot.getA(), terms.back().exponent) && weigh(dot.getB(), terms.back().exponent) &&
             (tile::isZero(dot.getAcc()) || takeApart(argument, dot.getAcc(), terms));
    }
    return takeProduct(argument, {value}, terms);
  }

  /// The product of `factors` as a term: of the variable and exponentials, or of the fold of a block, exponentials and
  /// what the loop does not change.
  bool takeProduct(BlockArgument argument, SmallVector<Value> factors, SmallVectorImpl<Term> &terms) {
    Term term;
    int64_t variables = 0, folds = 0, others = 0;
    while (!factors.empty()) {
      Value factor = factors.pop_back_val();
      Operation *op = factor.getDefiningOp();
      if (factor == argument) {
        ++variables;
        continue;
      }
      if (blocks.isOfPositions(factor)) {
        ++others;
        continue;
      }
      if (!op || op->getBlock() != loop.getBody())
        return false;
      if (isa<arith::MulFOp>(op)) {
        factors.append(op->operand_begin(), op->operand_end());
      } else if (std::optional<Rearrangement> moved = Rearrangement::of(op)) {
        factors.push_back(moved->source);
      } else if (isa<math::ExpOp, math::Exp2Op>(op)) {
        if (!multiply(op, term.exponent))
          return false;
      } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
        ++folds;
        if (!blocks.folds(reduce) || tile::foldOf(reduce) != tile::FoldKind::Add ||
            !weigh(reduce.getSource(), term.exponent))
          return false;
      } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
        ++folds;
        if (!blocks.folds(dot) || !tile::isZero(dot.getAcc()) || !weigh(dot.getA(), term.exponent) ||
            !weigh(dot.getB(), term.exponent))
          return false;
      } else {
        return false;
      }
    }
    term.ofVariable = variables == 1;
    terms.push_back(std::move(term));
    return variables + folds == 1 && (folds || !others);
  }

  /// Takes `value`, which is folded, apart into exponentials and functions of positions.
  bool weigh(Value value, Exponent &exponent) {
    if (blocks.isOfPositions(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return false;
    if (isa<arith::MulFOp>(op))
      return weigh(op->getOperand(0), exponent) && weigh(op->getOperand(1), exponent);
    if (isa<arith::DivFOp>(op))
      return weigh(op->getOperand(0), exponent) && blocks.isOfPositions(op->getOperand(1));
    if (isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp>(op))
      return weigh(op->getOperand(0), exponent);
    if (std::optional<Rearrangement> moved = Rearrangement::of(op))
      return weigh(moved->source, exponent);
    if (auto choice = dyn_cast<arith::SelectOp>(op)) {
      Value one = choice.getTrueValue(), other = choice.getFalseValue();
      return blocks.isOfPositions(choice.getCondition()) &&
             ((tile::isZero(other) && weigh(one, exponent)) || (tile::isZero(one) && weigh(other, exponent)));
    }
    return isa<math::ExpOp, math::Exp2Op>(op) && multiply(op, exponent);
  }

  //===--- exponents ----------------------------------------------------------------------------===//

  bool multiply(Operation *exponential, Exponent &exponent) {
    bool base2 = isa<math::Exp2Op>(exponential);
    std::optional<Multiples> multiples = multiplesOf(exponential->getOperand(0), exponent.hasMore);
    if (!multiples || exponent.base2.value_or(base2) != base2)
      return false;
    exponent.base2 = base2;
    return add(exponent.multiples, *multiples, Coefficient());
  }

  /// The extremes in a sum of multiples of them and of functions of positions, which `hasMore` tells of.
  std::optional<Multiples> multiplesOf(Value value, bool &hasMore) {
    if (blocks.isOfPositions(value)) {
      hasMore |= !tile::isZero(value);
      return Multiples();
    }
    if (extremes.contains(value) || left.contains(value)) {
      Multiples itself;
      itself.insert({value, Coefficient()});
      return itself;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return std::nullopt;
    if (std::optional<Rearrangement> moved = Rearrangement::of(op))
      return multiplesOf(moved->source, hasMore);
    if (isa<arith::ExtFOp>(op))
      return multiplesOf(op->getOperand(0), hasMore);
    const Coefficient plus, minus{-1, {}};
    if (isa<arith::NegFOp>(op))
      return sumOf({{op->getOperand(0), minus}}, hasMore);
    if (isa<arith::AddFOp>(op))
      return sumOf({{op->getOperand(0), plus}, {op->getOperand(1), plus}}, hasMore);
    if (isa<arith::SubFOp>(op))
      return sumOf({{op->getOperand(0), plus}, {op->getOperand(1), minus}}, hasMore);
    if (isa<arith::MulFOp, math::FmaOp>(op))
      for (unsigned i : {0, 1})
        if (std::optional<Coefficient> factor = unchanging(op->getOperand(i))) {
          SmallVector<std::pair<Value, Coefficient>> terms{{op->getOperand(1 - i), *factor}};
          if (auto fma = dyn_cast<math::FmaOp>(op))
            terms.push_back({fma.getC(), plus});
          return sumOf(terms, hasMore);
        }
    if (auto choice = dyn_cast<arith::SelectOp>(op))
      return withoutNothing(choice, hasMore);
    return std::nullopt;
  }

  std::optional<Multiples> sumOf(ArrayRef<std::pair<Value, Coefficient>> terms, bool &hasMore) {
    Multiples sum;
    for (auto &[value, factor] : terms) {
      std::optional<Multiples> part = multiplesOf(value, hasMore);
      if (!part || !add(sum, *part, factor))
        return std::nullopt;
    }
    return sum;
  }

  /// x of "x, or zero where an extreme is -inf", where x is a multiple of this extreme.
  std::optional<Multiples> withoutNothing(arith::SelectOp choice, bool &hasMore) {
    auto compare = choice.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare || !matchPattern(compare.getRhs(), m_NegInfFloat()))
      return std::nullopt;
    using Predicate = arith::CmpFPredicate;
    bool is = compare.getPredicate() == Predicate::OEQ;
    if (!is && !llvm::is_contained({Predicate::UNE, Predicate::ONE, Predicate::OGT}, compare.getPredicate()))
      return std::nullopt;
    std::optional<Multiples> multiples = multiplesOf(is ? choice.getFalseValue() : choice.getTrueValue(), hasMore);
    bool fits = multiples && multiples->size() == 1 && multiples->begin()->first == compare.getLhs() &&
                tile::isZero(is ? choice.getTrueValue() : choice.getFalseValue());
    return fits ? multiples : std::nullopt;
  }

  /// `value` as a number for each row or for all, where the loop does not change it.
  std::optional<Coefficient> unchanging(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      std::optional<Rearrangement> moved = Rearrangement::of(op);
      if (!moved && !isa<tensor::SplatOp>(op))
        break;
      value = op->getOperand(0);
    }
    if (FloatAttr number; matchPattern(value, m_Constant(&number)))
      return Coefficient{number.getValueAsDouble(), {}};
    if (DenseFPElementsAttr numbers; matchPattern(value, m_Constant(&numbers)) && numbers.isSplat())
      return Coefficient{numbers.getSplatValue<APFloat>().convertToDouble(), {}};
    if (blocks.blockDimensions(value) || value.getParentBlock() == loop.getBody())
      return std::nullopt;
    return Coefficient{1, {value}};
  }

  BlockLoop &blocks;
  scf::ForOp loop;
  SmallPtrSet<Value, 2> extremes;         ///< variables
  llvm::SmallDenseMap<Value, Value> left; ///< what an iteration leaves of an extreme -> the variable
};

} // namespace

Folded variablesOf(BlockLoop &blocks) { return RunningSums(blocks).find(); }

} // namespace heddle
