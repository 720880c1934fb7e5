//===- DeferReductions.cpp - reductions over threads behind the loop --------===//
//
// What:      scf.for iter_args(%l) { %r = tile.reduce "add" %x axis 1 : MxN -> M; yield %l * %a + %r }
//            ->  scf.for iter_args(%p) { %q = tile.reduce "add" %x within threads : MxN -> MxP;
//                                        yield %p * (%a for each of P) + %q };  %l = tile.reduce "add" %p axis 1
//            P threads share a row (Analysis/RowSharing.h). The reduction within threads is one of columns
//            that are a period apart and one of neighbours, on reshaped tiles; the one over threads runs once.
// Where:     before sub-tiling, in programs with dots where it gains (Pipelines/Gains.cpp says so):
//            without a dot, layouts follow the accesses to memory. The program stays sequential and executable.
// Condition: the loop does nothing with %l but this update, and the update is linear in %l and the reductions: sums,
//            differences, negations, products with and quotients by what depends on neither ("add"), or steps of the
//            other kinds alone (Dialect/Tile/Fold.h). Every value on the way has one use.
// Rounding:  scaled partial sums add up to what the scaled sum is but for the order of roundings, which is not defined
//            (docs/TileDialect.md, "Meaning"). Conversions on the way are not linear and stop it.
// Algorithm: the update is walked from what is yielded to %l and the reductions, and built again on M x P.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/DeferReductions.h"

#include "heddle/Analysis/RowSharing.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/NormaliseLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {
namespace {

/// The update of one variable of a loop, as a function of the variable and of reductions.
class Update {
public:
  Update(scf::ForOp loop, unsigned number) : loop(loop), number(number), carried(loop.getRegionIterArg(number)) {}

  bool isDeferrable() {
    auto rows = dyn_cast<RankedTensorType>(carried.getType());
    if (!rows || rows.getRank() != 1 || loop.getResult(number).use_empty())
      return false;
    Value yielded = loop.getYieldedValues()[number];
    for (tile::FoldKind candidate : {tile::FoldKind::Add, tile::FoldKind::Mul, tile::FoldKind::Max, tile::FoldKind::Min,
                                     tile::FoldKind::And, tile::FoldKind::Or, tile::FoldKind::Xor}) {
      kind = candidate;
      lifted.clear();
      reductions = 0;
      columns = {};
      if (yielded != carried && reaches(yielded, /*variable=*/true) && collect(yielded))
        return reductions > 0;
    }
    return false;
  }

  void defer() {
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    Value init = liftInit(rewriter);
    auto yield = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> args) {
      return SmallVector<Value>{lift(b, loop.getYieldedValues()[number], args.front())};
    };
    SmallVector<Location> names;
    for (BlockArgument argument : loop.getBody()->getArguments())
      names.push_back(argument.getLoc());
    names.push_back(carried.getLoc());
    DictionaryAttr own = loop->getDiscardableAttrDictionary();
    auto longer = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, init, /*replaceInitOperandUsesInLoop=*/false, yield));
    longer->setDiscardableAttrs(own);
    for (auto [argument, loc] : llvm::zip(longer.getBody()->getArguments(), names)) // what the program calls them
      argument.setLoc(loc);
    longer.getBody()->getTerminator()->setOperand(number, longer.getRegionIterArg(number)); // nobody needs it any more
    rewriter.setInsertionPointAfter(longer);
    Value whole = tile::ReduceOp::create(rewriter, longer.getLoc(), longer.getResult(number).getType(),
                                         tile::nameOf(kind), longer.getResults().back(), 1);
    rewriter.replaceAllUsesWith(longer.getResult(number), whole);
  }

private:
  tile::ReduceOp reductionOf(Value value) {
    auto reduce = value.getDefiningOp<tile::ReduceOp>();
    if (!reduce || reduce.getDirection() || reduce->getBlock() != loop.getBody() || tile::foldOf(reduce) != kind ||
        reduce.getAxis() != 1)
      return {};
    RankedTensorType from = reduce.getSource().getType();
    if (from.getRank() != 2)
      return {};
    ColumnSharing own = sharingOf(reduce.getSource());
    if (own.threads() == 1 || from.getDimSize(1) % own.period ||
        (columns.threads() > 1 && (columns.run != own.run || columns.period != own.period)))
      return {};
    columns = own;
    return reduce;
  }

  /// The operands of `op` that are parts of what it computes; the others scale them. Empty: it is not linear.
  SmallVector<Value, 2> terms(Operation *op) {
    if (kind != tile::FoldKind::Add)
      return tile::foldOf(op) == kind ? SmallVector<Value, 2>(op->getOperands()) : SmallVector<Value, 2>();
    if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp, arith::NegFOp>(op))
      return SmallVector<Value, 2>(op->getOperands());
    if (isa<arith::DivFOp>(op))
      return {op->getOperand(0)};
    if (isa<arith::MulFOp, arith::MulIOp, math::FmaOp>(op)) {
      Value scaled = op->getOperand(0), by = op->getOperand(1);
      if (reaches(by, true) || (!reaches(scaled, true) && !reaches(scaled, false)))
        scaled = by;
      SmallVector<Value, 2> parts{scaled};
      if (auto fma = dyn_cast<math::FmaOp>(op))
        parts.push_back(fma.getC());
      return parts;
    }
    return {};
  }

  /// Whether `value` is computed from the variable (or else from a reduction) by operations of the update alone.
  bool reaches(Value value, bool variable) {
    if (value == carried)
      return variable;
    if (reductionOf(value))
      return !variable;
    Operation *def = value.getDefiningOp();
    return def && def->getBlock() == loop.getBody() &&
           llvm::any_of(terms(def), [&](Value term) { return reaches(term, variable); });
  }

  /// Whether all of `value` is made of the variable and of reductions, which nobody else reads.
  bool collect(Value value) {
    if (!value.hasOneUse())
      return false;
    if (value == carried)
      return true;
    if (reductionOf(value))
      return ++reductions;
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != loop.getBody())
      return false;
    SmallVector<Value, 2> parts = terms(def);
    lifted[def] = parts;
    return !parts.empty() && llvm::all_of(parts, [&](Value part) { return collect(part); });
  }

  RankedTensorType partsType(Value rows) const {
    auto type = cast<RankedTensorType>(rows.getType());
    return RankedTensorType::get({type.getDimSize(0), columns.threads()}, type.getElementType());
  }

  Value repeat(OpBuilder &b, Value rows) const {
    return tile::BroadcastOp::create(b, rows.getLoc(), partsType(rows), rows, 1);
  }

  /// Partial results that reduce to what enters the loop.
  Value liftInit(OpBuilder &b) {
    Value init = loop.getInitArgs()[number];
    if (tile::isExtreme(kind))
      return repeat(b, init);
    Location loc = init.getLoc();
    RankedTensorType type = partsType(init);
    Attribute entering, neutral = tile::neutralOf(kind, type.getElementType());
    Value nothing = arith::ConstantOp::create(b, loc, type, SplatElementsAttr::get(type, neutral));
    if (matchPattern(init, m_Constant(&entering)) && isa<SplatElementsAttr>(entering) &&
        cast<SplatElementsAttr>(entering).getSplatValue<Attribute>() == neutral)
      return nothing;
    auto numbers = RankedTensorType::get({columns.threads()}, b.getI32Type());
    Value thread = tile::IotaOp::create(b, loc, numbers, 0);
    Value first = arith::ConstantOp::create(b, loc, numbers, cast<TypedAttr>(b.getZeroAttr(numbers)));
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, first);
    Value inFirst = tile::BroadcastOp::create(b, loc, type.clone(b.getI1Type()), isFirst, 0);
    return arith::SelectOp::create(b, loc, inFirst, repeat(b, init), nothing);
  }

  /// Row `x` as rows of `size`, reduced along `axis` of what that is.
  Value reduceDim(OpBuilder &b, tile::ReduceOp reduce, Value x, int64_t size, int64_t axis) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape{type.getDimSize(0), type.getDimSize(1) / size, size};
    if (shape[axis] == 1)
      return x;
    Value split = tensor::ExpandShapeOp::create(b, reduce.getLoc(), type.clone(shape), x,
                                                SmallVector<ReassociationIndices>{{0}, {1, 2}});
    shape.erase(shape.begin() + axis);
    auto folded = tile::ReduceOp::create(b, reduce.getLoc(), type.clone(shape), tile::nameOf(kind), split, axis);
    folded->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
    return folded;
  }

  /// `value` as partial results, of the variable `parts`.
  Value lift(OpBuilder &b, Value value, Value parts) {
    if (value == carried)
      return parts;
    Operation *def = value.getDefiningOp();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(def);
    if (tile::ReduceOp reduce = reductionOf(value)) {
      Value parts = reduceDim(b, reduce, reduce.getSource(), columns.period, 1);
      return columns.run == 1 ? parts : reduceDim(b, reduce, parts, columns.run, 2);
    }
    const SmallVector<Value, 2> &terms = lifted.find(def)->second;
    SmallVector<Value> operands;
    for (Value operand : def->getOperands())
      operands.push_back(llvm::is_contained(terms, operand) ? lift(b, operand, parts) : repeat(b, operand));
    Operation *copy = b.clone(*def);
    copy->setOperands(operands);
    copy->getResult(0).setType(partsType(value));
    return copy->getResult(0);
  }

  scf::ForOp loop;
  unsigned number;
  ColumnSharing columns; ///< how threads share the rows of all reductions
  BlockArgument carried;
  tile::FoldKind kind = tile::FoldKind::Add;
  llvm::MapVector<Operation *, SmallVector<Value, 2>> lifted; ///< operations of the update, with their terms
  int64_t reductions = 0;
};

} // namespace

/// The first update of a loop of `kernel` that can be deferred.
static std::optional<Update> findUpdate(tile::KernelOp kernel) {
  std::optional<Update> found;
  kernel.walk([&](scf::ForOp loop) {
    for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
      if (Update update(loop, number); update.isDeferrable()) {
        found.emplace(std::move(update));
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

bool canDeferReductions(tile::KernelOp kernel) { return findUpdate(kernel).has_value(); }

void deferReductions(tile::KernelOp kernel) {
  bool changed = false;
  while (std::optional<Update> update = findUpdate(kernel)) {
    update->defer();
    changed = true;
  }
  if (changed)
    normaliseLoops(kernel); // variables that were replaced, and what computed them, go
}

} // namespace heddle
