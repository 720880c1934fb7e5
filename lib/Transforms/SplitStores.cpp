//===- SplitStores.cpp - whole tiles of bounded stores by the copy engine ---===//
//
// What:      tile.store %t, %v[%i, %j] below [%a, %b]  ->  scf.if (%i + rows <= %a and %j + columns <= %b)
//              { tile.store %t, %v[%i, %j] } else { tile.store %t, %v[%i, %j] below [%a, %b] }
//            and, where %i may be negative, the same with the condition %i >= 0: the H100 ends a kernel with "illegal
//            instruction" for a box that the copy engine stores from a negative coordinate on (loads give zeros).
// Where:     before sub-tiling, so that all warp groups decide alike; later steps see an ordinary branch. The copy
//            engine knows the ends of views, which the launch decides, and none that the kernel does.
// An end that is the view's own size bounds nothing and is not asked for; where all are, the store loses its bounds.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SplitStores.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/CacheHints.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

/// True where `op` stands in an scf.for with no loop or branch in it: such a loop is scheduled.
static bool isInScheduledLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop && llvm::none_of(*loop.getBody(), [](Operation &inner) { return inner.getNumRegions() > 0; });
}

namespace {
/// Indices that are at least 0 in every run: what counts programs, blocks, sizes and iterations from 0, and sums,
/// products, quotients and choices of such.
class NonNegative {
public:
  bool holds(Value value) {
    if (fails.contains(value))
      return false;
    // Through a loop back to what is asked for: it holds unless something else says no, and then what relied on it is
    // asked for again.
    if (assumed.contains(value) || !asked.insert(value).second)
      return true;
    bool result = compute(value);
    asked.erase(value);
    if (result) {
      assumed.insert(value);
    } else {
      fails.insert(value);
      assumed.clear();
    }
    return result;
  }

private:
  bool all(ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return holds(v); });
  }

  bool compute(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.isNonNegative();
    if (std::optional<VariableRef> variable = variableOf(value))
      return llvm::all_of(passedVariables(variable->op)[variable->number].given,
                          [&](OpOperand *given) { return holds(given->get()); });
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && holds(loop.getLowerBound());
    }
    Operation *op = value.getDefiningOp();
    if (op->hasAttr(nonNegativeAttr) ||
        isa<tile::ProgramIdOp, tile::ClusterRankOp, tile::NumProgramsOp, tile::DimOp>(op))
      return true;
    if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::MaxUIOp, arith::DivSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::IndexCastOp, arith::ExtSIOp>(op))
      return all(op->getOperands());
    if (isa<arith::MaxSIOp, arith::MinUIOp, arith::RemUIOp, arith::AndIOp>(op))
      return holds(op->getOperand(0)) || holds(op->getOperand(1));
    if (isa<arith::DivUIOp, arith::RemSIOp, arith::ShRUIOp, arith::ShRSIOp, arith::ShLIOp>(op))
      return holds(op->getOperand(0));
    return isa<arith::SelectOp>(op) && all(op->getOperands().drop_front());
  }

  llvm::DenseSet<Value> asked, assumed, fails;
};
} // namespace

/// The conditions under which `store` is one for the copy engine; null: none is needed. Ends of the view's own are
/// taken away.
static Value wholeTile(tile::StoreOp store, OpBuilder &b) {
  Location loc = store.getLoc();
  Value isWhole;
  auto add = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    isWhole = isWhole ? arith::AndIOp::create(b, loc, isWhole, holds) : holds;
  };
  SmallVector<int64_t> dims = store.getTileDims();
  for (auto [dim, end, size] : llvm::zip(dims, store.getBelow(), store.getValue().getType().getShape())) {
    auto own = end.getDefiningOp<tile::DimOp>();
    if (own && own.getView() == store.getView() && static_cast<int64_t>(own.getDim()) == dim)
      continue;
    Value last = arith::AddIOp::create(b, loc, store.getIndices()[dim], arith::ConstantIndexOp::create(b, loc, size));
    add(arith::CmpIPredicate::sle, last, end);
  }
  if (!isWhole)
    store.getBelowMutable().clear();
  NonNegative nonNegative;
  for (Value index : store.getIndices())
    if (!nonNegative.holds(index))
      add(arith::CmpIPredicate::sge, index, arith::ConstantIndexOp::create(b, loc, 0));
  return isWhole;
}

static void split(tile::StoreOp store) {
  OpBuilder b(store);
  Value isWhole = wholeTile(store, b);
  if (!isWhole)
    return;
  auto branch = scf::IfOp::create(b, store.getLoc(), isWhole, /*withElseRegion=*/true);
  auto whole = cast<tile::StoreOp>(branch.getThenBodyBuilder().clone(*store));
  whole.getBelowMutable().clear();
  if (!store.isBounded()) {
    store->setAttr(directAttr, b.getUnitAttr());
    store->setAttr(seldomAttr, b.getUnitAttr());
  }
  store->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
}

void splitStores(tile::KernelOp kernel) {
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) {
    if (!store.getRows() && (store.isBounded() || isTmaStore(store)))
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores) {
    if (!isInScheduledLoop(store))
      split(store);
    else if (!llvm::all_of(store.getIndices(), [](Value index) { return NonNegative().holds(index); }))
      store->setAttr(directAttr, UnitAttr::get(store.getContext()));
  }
}

} // namespace heddle
