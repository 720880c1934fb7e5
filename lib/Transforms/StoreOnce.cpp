//===- StoreOnce.cpp - what programs repeat is computed by one of them -----===//
//
// What:      %acc, %row = scf.for ... { %acc + %a * %b, %row + reduce %a };  tile.store %row, %R[%m]
//            ->  %own = (%pn == %pm rem columns of programs)
//                %row = scf.for to (%own ? its end : its begin) ... { %row + reduce %a };  scf.if %own { tile.store }
//                %acc = scf.for ... { %acc + %a * %b }
//            where all programs along a dimension of the grid (pn) store the same %row. The loop of products is then
//            the plain product's, with its tiles and registers, and the work beside it is done once. Before, each
//            program did it: its reads of shared memory and its shuffles stood beside products that leave little of
//            either, and its registers forbade the larger tiles.
// Where:     on the program as written, before it is made persistent.
// Which:     what a loop carries beside products, when neither it nor the addresses of its stores depend on the
//            coordinate; loads in it are made again. Not where the view that is stored is accessed elsewhere, or one
//            that is loaded is stored: then order would matter.
// Balance:   the program that does it is another one in each row, so that neighbours in the order of programs share.
// Memory:    the loops run one after the other, so that they share slots (shareLoopSlotsAttr).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/StoreOnce.h"

#include "Arithmetic.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Transforms/NormaliseLoops.h"
#include "heddle/Transforms/Persist.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
namespace heddle {
namespace {

/// Whether `value`, of the kernel's body or of `loop`, is the same for all programs along `dim`; what the loop carries
/// is looked at where it is yielded.
bool isCommon(Value value, int64_t dim, scf::ForOp loop, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return true;
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return isCommon(v, dim, loop, seen); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody())
      return isa<tile::KernelOp>(argument.getOwner()->getParentOp());
    if (argument == loop.getInductionVar())
      return all({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    unsigned number = argument.getArgNumber() - 1;
    return all({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  }
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return static_cast<int64_t>(id.getDim()) != dim;
  if (op == loop)
    return all({loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()],
                loop.getInitArgs()[cast<OpResult>(value).getResultNumber()], loop.getLowerBound(), loop.getUpperBound(),
                loop.getStep()});
  return !op->getNumRegions() && (isa<tile::LoadOp>(op) || isMemoryEffectFree(op)) && all(op->getOperands());
}

/// What a loop carries beside its products and stores alike in all programs along `dim`.
class Repeated {
public:
  Repeated(tile::KernelOp kernel, scf::ForOp loop, int64_t dim) : kernel(kernel), loop(loop), dim(dim) {}

  bool find() {
    if (!isScheduledLoop(loop) || loop.getOps<tile::DotOp>().empty() || !loop.getLowerBound().getType().isIndex())
      return false;
    for (unsigned n = 0; n < loop.getNumResults(); ++n)
      if (leadsToCommonStores(n))
        variables.insert(n);
    while (removeOne()) {
    }
    return llvm::any_of(inside(variables), [](Operation *op) { return isa<tile::LoadOp>(op); });
  }

  void split() {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Arithmetic a(b, loc);
    auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
    Value others;
    for (int64_t d = 0, rank = grid.getSizes().size(); d < rank; ++d)
      if (d != dim) {
        Value id = tile::ProgramIdOp::create(b, loc, d);
        others = others ? a.add(others, id) : id;
      }
    Value place = tile::ProgramIdOp::create(b, loc, dim), turn = a.rem(others, grid.getSizes()[dim]);
    Value own =
        arith::CmpIOp::create(b, NameLoc::get(b.getStringAttr("own"), loc), arith::CmpIPredicate::eq, place, turn);
    Value end = arith::SelectOp::create(b, loc, own, loop.getUpperBound(), loop.getLowerBound());

    SmallVector<Value> inits;
    for (unsigned n : variables)
      inits.push_back(loop.getInitArgs()[n]);
    auto first = scf::ForOp::create(b, loc, loop.getLowerBound(), end, loop.getStep(), inits);
    IRMapping map;
    map.map(loop.getInductionVar(), first.getInductionVar());
    first.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    for (auto [n, argument] : llvm::zip(variables, first.getRegionIterArgs())) {
      map.map(loop.getRegionIterArg(n), argument);
      argument.setLoc(loop.getRegionIterArg(n).getLoc());
    }
    OpBuilder body = OpBuilder::atBlockEnd(first.getBody());
    llvm::SetVector<Operation *> moved = inside(variables);
    for (Operation &op : loop.getBody()->without_terminator())
      if (moved.contains(&op))
        body.clone(op, map)->removeDiscardableAttr(planAttr); // labels are those of the loop with the products
    SmallVector<Value> yields;
    for (unsigned n : variables)
      yields.push_back(map.lookupOrDefault(loop.getYieldedValues()[n]));
    scf::YieldOp::create(body, loc, yields);

    // What reads the results, stores included, behind whatever else it reads.
    SmallVector<Operation *> behind = behindLoop(variables);
    Operation *at = first;
    for (Operation *op : behind)
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && def != loop && !llvm::is_contained(behind, def) && at->isBeforeInBlock(def))
          at = def;
    b.setInsertionPointAfter(at);
    auto branch = scf::IfOp::create(b, loc, own, /*withElseRegion=*/false);
    for (Operation *op : behind)
      op->moveBefore(branch.thenBlock()->getTerminator());
    for (auto [n, result] : llvm::zip(variables, first.getResults())) {
      loop.getResult(n).replaceAllUsesWith(result);
      loop.getBody()->getTerminator()->setOperand(n, loop.getRegionIterArg(n)); // normaliseLoops lets it go
    }
  }

private:
  /// Operations of the kernel's body that read the results `numbers`, directly or not, in order.
  SmallVector<Operation *> behindLoop(const std::set<unsigned> &numbers) {
    llvm::SetVector<Operation *> found;
    SmallVector<Value> work;
    for (unsigned n : numbers)
      work.push_back(loop.getResult(n));
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers())
        if (found.insert(user))
          llvm::append_range(work, user->getResults());
    SmallVector<Operation *> sorted = found.takeVector();
    llvm::sort(sorted, [](Operation *x, Operation *y) {
      return x->getBlock() == y->getBlock() ? x->isBeforeInBlock(y) : x < y; // of one block, or refused
    });
    return sorted;
  }

  bool isAccessedElsewhere(Value view, Operation *but) {
    WalkResult walk = kernel.walk([&](Operation *op) {
      bool accesses = isa<tile::LoadOp, tile::GatherOp, tile::ElementOp, tile::StoreOp>(op);
      return accesses && op != but && op->getOperands().size() && llvm::is_contained(op->getOperands(), view)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  bool isStored(Value view) {
    WalkResult walk = kernel.walk(
        [&](tile::StoreOp store) { return store.getView() == view ? WalkResult::interrupt() : WalkResult::advance(); });
    return walk.wasInterrupted();
  }

  /// All that reads result `number` leads to stores that programs along the dimension repeat.
  bool leadsToCommonStores(unsigned number) {
    SmallVector<Operation *> readers = behindLoop({number});
    bool stores = false;
    for (Operation *op : readers) {
      if (op->getBlock() != loop->getBlock() || op->getNumRegions())
        return false;
      auto store = dyn_cast<tile::StoreOp>(op);
      stores |= !!store;
      if (store ? store.getKind() != "set" || store.getRows() || isAccessedElsewhere(store.getView(), store)
                : !isMemoryEffectFree(op))
        return false;
      llvm::DenseSet<Value> seen;
      if (!llvm::all_of(op->getOperands(), [&](Value v) { return isCommon(v, dim, loop, seen); }))
        return false;
    }
    return stores;
  }

  /// Operations of the loop's body that compute what `numbers` yield.
  llvm::SetVector<Operation *> inside(const std::set<unsigned> &numbers, llvm::DenseSet<unsigned> *carried = nullptr) {
    llvm::SetVector<Operation *> found;
    SmallVector<Value> work;
    for (unsigned n : numbers)
      work.push_back(loop.getYieldedValues()[n]);
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (carried && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
          carried->insert(argument.getArgNumber() - 1);
        continue;
      }
      if (Operation *op = value.getDefiningOp(); op->getBlock() == loop.getBody() && found.insert(op))
        llvm::append_range(work, op->getOperands());
    }
    return found;
  }

  /// Removes a variable that cannot be computed apart from the others, or that others need.
  bool removeOne() {
    for (unsigned n : variables) {
      llvm::DenseSet<unsigned> carried;
      llvm::SetVector<Operation *> ops = inside({n}, &carried);
      bool apart = llvm::all_of(carried, [&](unsigned other) { return variables.count(other); }) &&
                   llvm::all_of(ops, [&](Operation *op) {
                     auto load = dyn_cast<tile::LoadOp>(op);
                     return load ? !isStored(load.getView()) : !isa<tile::DotOp>(op) && isMemoryEffectFree(op);
                   });
      std::set<unsigned> others;
      for (unsigned other = 0; other < loop.getNumResults(); ++other)
        if (!variables.count(other))
          others.insert(other);
      llvm::DenseSet<unsigned> needed;
      inside(others, &needed);
      // A store that reads a variable that stays cannot stand before the loop.
      for (Operation *reader : behindLoop({n}))
        for (Value operand : reader->getOperands())
          if (operand.getDefiningOp() == loop)
            apart &= variables.count(cast<OpResult>(operand).getResultNumber()) != 0;
      if (!apart || needed.contains(n)) {
        variables.erase(n);
        return true;
      }
    }
    return false;
  }

  tile::KernelOp kernel;
  scf::ForOp loop;
  int64_t dim;
  std::set<unsigned> variables; ///< numbers of results
};

/// The first loop of `kernel` that has something repeated.
std::optional<Repeated> findRepeated(tile::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (countOfPrograms(kernel) || tile::clusterOf(kernel) > 1)
    return std::nullopt;
  auto grid = *body.getOps<tile::GridOp>().begin();
  for (auto loop : body.getOps<scf::ForOp>())
    for (int64_t dim = static_cast<int64_t>(grid.getSizes().size()) - 1; dim >= 0 && grid.getSizes().size() > 1; --dim)
      if (grid->isBeforeInBlock(loop))
        if (Repeated repeated(kernel, loop, dim); repeated.find())
          return repeated;
  return std::nullopt;
}
} // namespace

bool repeatsStores(tile::KernelOp kernel) { return findRepeated(kernel).has_value(); }

bool storeOnce(tile::KernelOp kernel) {
  bool any = false;
  while (std::optional<Repeated> repeated = findRepeated(kernel)) {
    repeated->split();
    normaliseLoops(kernel);
    any = true;
  }
  if (any)
    kernel->setAttr(shareLoopSlotsAttr, UnitAttr::get(kernel.getContext()));
  return any;
}

} // namespace heddle
