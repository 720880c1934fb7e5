//===- Chains.cpp - see Chains.h -------------------------------------------===//
//
// Algorithm: backwards over the loop's body, each operation takes the chain of its readers or begins (ends) one of its
//            own; then chains of row statistics are united in the program's order, each union only where the chains
//            stay without a cycle.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Chains.h"

#include "OperationCost.h"
#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <set>

using namespace mlir;
namespace heddle {

/// An operation that computes each element of its one tile from the same element of its operands.
static bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
         OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op);
}

static bool isDivision(Operation *op) {
  return isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Tile operations of a loop's body that run something.
static bool runs(Operation *op) { return touchesTiles(op) && !isFree(op); }

/// Calls `visit` for every operation of `loop`'s body that runs and that `value` is computed from, seen through free
/// operations; `carried` tells those of an earlier iteration.
static void forProducers(Value value, scf::ForOp loop, llvm::function_ref<void(Operation *, bool carried)> visit) {
  SmallVector<std::pair<Value, bool>> work{{value, false}};
  std::set<std::pair<void *, bool>> seen;
  while (!work.empty()) {
    auto [v, carried] = work.pop_back_val();
    if (!seen.insert({v.getAsOpaquePointer(), carried}).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(v)) {
      if (arg.getOwner() == loop.getBody() && arg.getArgNumber() > 0)
        work.push_back({loop.getYieldedValues()[arg.getArgNumber() - 1], true});
      continue;
    }
    Operation *def = v.getDefiningOp();
    if (def->getBlock() != loop.getBody())
      continue;
    if (runs(def))
      visit(def, carried);
    else // free operations, and scalars
      for (Value operand : def->getOperands())
        work.push_back({operand, carried});
  }
}

namespace {
class Former {
public:
  Former(scf::ForOp loop, Rows rows) : loop(loop), rows(rows) {}

  void run() {
    collect();
    findRecurrences();
    assign();
    uniteRows();
    mark();
  }

private:
  void collect() {
    for (Operation &op : loop.getBody()->without_terminator())
      if (runs(&op)) {
        index[&op] = ops.size();
        ops.push_back(&op);
      }
    unsigned n = ops.size();
    readers.resize(n);
    leaves.assign(n, false);
    recomputable.assign(n, false);
    transcendental.assign(n, false);
    dots.assign(n, BitVector(n));
    anchors.assign(n, BitVector(n));
    reach.assign(n, BitVector(n));
    for (unsigned i = 0; i < n; ++i) {
      Operation *op = ops[i];
      for (Value operand : op->getOperands())
        forProducers(operand, loop, [&](Operation *from, bool carried) {
          unsigned p = index.lookup(from);
          reach[p].set(i);
          if (carried) {
            leaves[p] = true;
            return;
          }
          readers[p].insert(i);
          dots[i] |= dots[p];
          anchors[i] |= anchors[p];
        });
      if (isa<warp::DotOp>(op))
        dots[i].set(i);
      if (!isElementwise(op) && !isa<tile::LoadOp>(op))
        anchors[i].set(i);
      if (auto tile = dyn_cast_or_null<RankedTensorType>(typeOf(op)))
        hasTiles |= tile.getRank() >= 2;
    }
    for (Value yielded : loop.getYieldedValues())
      forProducers(yielded, loop, [&](Operation *from, bool carried) {
        if (!carried)
          leaves[index.lookup(from)] = true;
      });
    if (auto kernel = loop->getParentOfType<tile::KernelOp>())
      for (const MemoryDependence &pair : findMemoryDependences(kernel))
        if (auto first = index.find(pair.first), second = index.find(pair.second);
            pair.sameIteration && first != index.end() && second != index.end())
          behind.push_back({first->second, second->second});
    for (unsigned i = 0; i < n; ++i) {
      recomputable[i] = canRecompute(i);
      transcendental[i] = transcendental[i] || (isElementwise(ops[i]) && isTranscendental(ops[i]));
      if (transcendental[i] && readers[i].size() == 1 && !leaves[i] && alike(i, readers[i].front()))
        transcendental[readers[i].front()] = true; // behind `i`, which a chain of it would run
    }
  }

  /// Read by what is not element-wise: somebody has to hold it.
  bool isHeld(unsigned i) const {
    return leaves[i] || llvm::any_of(readers[i], [&](unsigned reader) { return !isElementwise(ops[reader]); });
  }

  static Type typeOf(Operation *op) { return op->getNumResults() ? op->getResult(0).getType() : Type(); }

  /// A row of more than a few registers that a load of this iteration brings to shared memory, where each chain can
  /// read it: no registers hold it in between.
  bool isLoadedRow(Operation *op) {
    auto read = dyn_cast<warp::ReadOp>(op);
    auto loaded = read ? read.getSource().getDefiningOp<warp::LoadedOp>() : nullptr;
    return loaded && loaded->getBlock() == loop.getBody() && hasTiles &&
           cast<RankedTensorType>(typeOf(op)).getRank() == 1 &&
           RegisterLayout{targetOf(op)}.registersOf(op->getResult(0)) > rowRegisters;
  }

  /// Whether `value` is a row that the loop loads, or computed from such rows: nor do registers hold that.
  bool isOfLoadedRows(Value value) {
    Operation *op = value.getDefiningOp();
    auto known = index.find(op);
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (rows != Rows::Reread || known == index.end() || !recomputable[known->second] || !tile || tile.getRank() != 1)
      return false;
    return isLoadedRow(op) || llvm::any_of(op->getOperands(), [&](Value operand) { return isOfLoadedRows(operand); });
  }

  bool canRecompute(unsigned i) {
    Operation *op = ops[i];
    if (rows == Rows::Reread && isLoadedRow(op))
      return !isHeld(i);
    if (!isElementwise(op) || ((isTranscendental(op) || isDivision(op)) &&
                               llvm::none_of(op->getOperands(), [&](Value v) { return isOfLoadedRows(v); })))
      return false;
    for (Value operand : op->getOperands()) {
      // A tile that an earlier iteration computed is no function of the iteration's number.
      SmallVector<Value> work{operand};
      llvm::SmallPtrSet<Value, 8> seen;
      while (!work.empty()) {
        Value v = work.pop_back_val();
        if (!seen.insert(v).second)
          continue;
        Operation *def = v.getDefiningOp();
        if (!def) {
          auto arg = cast<BlockArgument>(v);
          if (arg.getOwner() == loop.getBody() && arg.getArgNumber() > 0)
            return false;
        } else if (def->getBlock() == loop.getBody()) {
          auto known = index.find(def);
          if (known != index.end() && (!recomputable[known->second] || isHeld(known->second)))
            return false;
          if (known == index.end())
            work.append(def->operand_begin(), def->operand_end());
        }
      }
    }
    return true;
  }

  /// `reach`: over any number of iterations.
  void findRecurrences() {
    for (unsigned k = 0; k < ops.size(); ++k)
      for (unsigned i = 0; i < ops.size(); ++i)
        if (reach[i].test(k))
          reach[i] |= reach[k];
  }
  bool onOneRecurrence(unsigned a, unsigned b) const { return reach[a].test(b) && reach[b].test(a); }

  bool isRow(unsigned i) const {
    auto tile = dyn_cast_or_null<RankedTensorType>(typeOf(ops[i]));
    return hasTiles && tile && tile.getRank() == 1 &&
           RegisterLayout{targetOf(ops[i])}.registersOf(ops[i]->getResult(0)) <= rowRegisters;
  }

  static ArrayRef<int64_t> shapeOf(Operation *op) { return cast<RankedTensorType>(typeOf(op)).getShape(); }

  /// Operations of one sub-tile and shape.
  bool alike(unsigned a, unsigned b) const {
    return isElementwise(ops[a]) && isElementwise(ops[b]) && shapeOf(ops[a]) == shapeOf(ops[b]) &&
           ops[a]->getAttr(groupAttr) == ops[b]->getAttr(groupAttr);
  }

  bool mayJoin(unsigned a, unsigned reader) const {
    if (!alike(a, reader))
      return false;
    if (!isRow(a) && reach[reader].test(reader) && !onOneRecurrence(a, reader))
      return false;
    return !transcendental[a] || dots[a] == dots[reader];
  }

  void assign() {
    chain.assign(ops.size(), -1);
    for (unsigned i = ops.size(); i-- > 0;) {
      if (!isElementwise(ops[i]))
        continue;
      bool cut = leaves[i] || readers[i].empty();
      int join = -1;
      for (unsigned reader : readers[i]) {
        if (chain[reader] < 0 || !mayJoin(i, reader) || (join >= 0 && join != chain[reader]))
          cut = true;
        else
          join = chain[reader];
      }
      if (!cut)
        chain[i] = join;
      else if (!recomputable[i] || isHeld(i) || readers[i].empty())
        chain[i] = i;
      // else recomputed: no chain
    }
  }

  /// What has to follow each chain or operation without one: its readers, and the later of two accesses to memory.
  std::map<int, std::set<int>> successors() const {
    std::map<int, std::set<int>> next;
    for (auto [first, second] : behind)
      next[nodeOf(first)].insert(nodeOf(second));
    for (unsigned i = 0; i < ops.size(); ++i)
      for (unsigned reader : readers[i])
        if (nodeOf(i) != nodeOf(reader))
          next[nodeOf(i)].insert(nodeOf(reader));
    return next;
  }
  /// The chain of operation `i`, or itself.
  int nodeOf(unsigned i) const { return chain[i] < 0 ? static_cast<int>(i) : chain[i]; }

  /// True when a path of at least two steps leads from `a` to `b`, or any from `b` to `a`.
  bool cyclicWhenUnited(int a, int b) const {
    std::map<int, std::set<int>> next = successors();
    auto leads = [&](int from, int to, bool direct) {
      std::set<int> seen;
      SmallVector<int> work;
      for (int first : next[from])
        if (direct || first != to)
          work.push_back(first);
      while (!work.empty()) {
        int v = work.pop_back_val();
        if (v == to)
          return true;
        if (seen.insert(v).second)
          work.append(next[v].begin(), next[v].end());
      }
      return false;
    };
    return leads(a, b, false) || leads(b, a, true);
  }

  void uniteRows() {
    for (unsigned i = 0; i < ops.size(); ++i) {
      if (chain[i] < 0 || !isRow(i))
        continue;
      for (unsigned reader : readers[i]) {
        if (chain[reader] < 0 || chain[reader] == chain[i] || !alike(i, reader) ||
            anchors[chain[i]] != anchors[chain[reader]] || cyclicWhenUnited(chain[i], chain[reader]))
          continue;
        int from = chain[i], to = chain[reader];
        for (int &c : chain)
          if (c == from)
            c = to;
      }
    }
  }

  void mark() {
    Builder b(loop.getContext());
    for (unsigned i = 0; i < ops.size(); ++i)
      if (chain[i] >= 0)
        ops[i]->setAttr(chainAttr, b.getI64IntegerAttr(chain[i]));
      else if (isElementwise(ops[i]) || recomputable[i])
        ops[i]->setAttr(recomputedAttr, b.getUnitAttr());
  }

  scf::ForOp loop;
  Rows rows;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> index;
  SmallVector<llvm::SmallSetVector<unsigned, 4>> readers; ///< in the same iteration
  SmallVector<std::pair<unsigned, unsigned>> behind;      ///< accesses to memory, of which the second has to follow
  SmallVector<bool> leaves;                               ///< yielded, or read by a later iteration
  SmallVector<bool> recomputable;
  SmallVector<bool> transcendental; ///< a chain that it ends goes through the special functions unit
  SmallVector<BitVector> dots;      ///< that it needs in its iteration
  SmallVector<BitVector> anchors;   ///< operations other than element-wise ones and loads that it needs
  SmallVector<BitVector> reach;
  bool hasTiles = false;
  SmallVector<int> chain; ///< index of the chain's end; -1: none
};
} // namespace

void formChains(scf::ForOp loop, Rows rows) { Former(loop, rows).run(); }

void formChains(tile::KernelOp kernel, Rows rows) {
  kernel.walk([&](scf::ForOp loop) {
    if (isScheduledLoop(loop))
      formChains(loop, rows);
  });
}

SmallVector<SmallVector<Operation *>> loopNodes(scf::ForOp loop) {
  SmallVector<SmallVector<Operation *>> nodes;
  DenseMap<int64_t, unsigned> nodeOfChain;
  DenseMap<Operation *, unsigned> nodeOf;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!runs(&op))
      continue;
    auto chain = op.getAttrOfType<IntegerAttr>(chainAttr);
    auto [known, first] =
        chain ? nodeOfChain.insert({chain.getInt(), nodes.size()}) : std::pair(nodeOfChain.end(), true);
    unsigned node = first ? nodes.size() : known->second;
    if (first)
      nodes.emplace_back();
    nodes[node].push_back(&op);
    nodeOf[&op] = node;
  }
  // Behind what it reads: always the first node, in the program's order, whose operands are there.
  SmallVector<llvm::SmallSetVector<unsigned, 4>> next(nodes.size());
  SmallVector<unsigned> waits(nodes.size(), 0);
  for (auto [node, members] : llvm::enumerate(nodes))
    for (Operation *op : members)
      for (Value operand : op->getOperands())
        forProducers(operand, loop, [&](Operation *from, bool carried) {
          if (unsigned p = nodeOf.lookup(from); !carried && p != node && next[p].insert(node))
            ++waits[node];
        });
  std::set<unsigned> ready;
  for (unsigned node = 0; node < nodes.size(); ++node)
    if (!waits[node])
      ready.insert(node);
  SmallVector<SmallVector<Operation *>> ordered;
  while (!ready.empty()) {
    unsigned node = *ready.begin();
    ready.erase(ready.begin());
    ordered.push_back(nodes[node]);
    for (unsigned to : next[node])
      if (!--waits[to])
        ready.insert(to);
  }
  return ordered;
}

SmallVector<Operation *> recomputedIn(ArrayRef<Operation *> chain) {
  llvm::SmallSetVector<Operation *, 8> found;
  SmallVector<Value> work;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *op : chain)
    work.append(op->operand_begin(), op->operand_end());
  while (!work.empty()) {
    Operation *def = work.pop_back_val().getDefiningOp();
    if (!def || !isFree(def) || !seen.insert(def).second)
      continue;
    if (def->hasAttr(recomputedAttr))
      found.insert(def);
    work.append(def->operand_begin(), def->operand_end());
  }
  SmallVector<Operation *> sorted(found.begin(), found.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

static bool isMarked(Operation &op) { return op.hasAttr(chainAttr) || op.hasAttr(recomputedAttr); }

bool readsRows(Operation *within) {
  return within
      ->walk([](warp::ReadOp read) {
        return read.getResult().getType().getRank() == 1 ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool hasChains(scf::ForOp loop) { return llvm::any_of(*loop.getBody(), isMarked); }

void dissolveChains(scf::ForOp loop) {
  for (Operation &op : *loop.getBody()) {
    op.removeAttr(chainAttr);
    op.removeAttr(recomputedAttr);
  }
}

} // namespace heddle
