//===- Arrays.cpp - see Arrays.h ------------------------------------------------===//
#include "Arrays.h"

#include "RegisterTiles.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Target/Hopper/PtxasRules.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

class Assigner {
public:
  Assigner(hw::RoleOp role, const RecomputedTiles &recomputed) : role(role), recomputed(recomputed) {}
  FailureOr<ArrayAssignment> run();

private:
  void number(Block &block);
  void computeLiveness();
  void extend(Value value, int from, int to);
  void findRetirements();
  Operation *retirePoint(Operation *start, Block::iterator from, int64_t newer);
  bool merge(Value a, Value b);
  int root(int c);
  void markPending();
  LogicalResult mergeAll();
  void declare(ArrayAssignment &result);
  void countRegisters(ArrayAssignment &result);

  int begin(Operation *op) { return 2 * first.lookup(op); }
  int end(Operation *op) { return 2 * last.lookup(op); }

  hw::RoleOp role;
  const RecomputedTiles &recomputed;
  int points = 0;
  DenseMap<Operation *, int> first, last; // textual index of an op and of its end
  SmallVector<Operation *> order;
  SmallVector<Value> values;
  DenseMap<Value, int> indexOf;
  std::vector<llvm::BitVector> live; // by value, then by class root
  std::vector<int> parent;
  DenseSet<Value> pending; // written by a wgmma that may still run
  DenseMap<Operation *, SmallVector<Value>> retired;
  SmallVector<Operation *> overwritten;            // dots whose register operand changes while they run
  DenseMap<Value, SmallVector<Operation *>> wraps; // loops whose back edge a register operand crosses in flight
};

void Assigner::number(Block &block) {
  for (Operation &op : block) {
    first[&op] = points++;
    order.push_back(&op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    last[&op] = op.getNumRegions() ? points++ : first[&op];
  }
}

void Assigner::extend(Value value, int from, int to) {
  auto known = indexOf.find(value);
  if (known != indexOf.end() && from <= to)
    live[known->second].set(from, to + 1);
}

/// Results of ops that read all of element i before writing element i may use an operand's array.
static bool writesInPlace(Operation *op) {
  if (op->hasTrait<OpTrait::Elementwise>() || isa<hw::WgmmaOp, hw::WgmmaWaitOp>(op))
    return true;
  if (auto convert = dyn_cast<hw::ConvertLayoutOp>(op))
    return convert.getCost() == "identity" || convert.getCost() == "exchange"; // (of a pair at a time)
  return false;
}

void Assigner::computeLiveness() {
  auto addValue = [&](Value value) {
    if (!isTile(value) || recomputed.contains(value))
      return;
    indexOf[value] = values.size();
    values.push_back(value);
  };
  for (Operation *op : order) {
    for (Value result : op->getResults())
      addValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          addValue(arg);
  }
  live.assign(values.size(), llvm::BitVector(2 * points + 2));
  parent.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    parent[i] = i;

  for (Value value : values) {
    int def;
    auto loop = dyn_cast<scf::WhileOp>(value.getParentBlock()->getParentOp());
    if (Operation *op = value.getDefiningOp())
      def = op->getNumRegions() ? end(op) + 1 : begin(op) + (writesInPlace(op) ? 1 : 0);
    else if (loop && value.getParentBlock() == loop.getAfterBody())
      def = begin(loop.getConditionOp()) + 1;
    else
      def = begin(value.getParentBlock()->getParentOp()) + 1;
    extend(value, def, def);
    forEachReader(value, recomputed, [&](Operation *reader, bool direct) {
      // What is read in another place than it is written must not be overwritten by the reader.
      int at = begin(reader) + (direct ? 0 : 1);
      // A value from outside a loop must survive all of its trips.
      for (Operation *op = reader->getParentOp();
           op && op != role && !op->isAncestor(value.getParentBlock()->getParentOp()); op = op->getParentOp())
        if (isa<LoopLikeOpInterface>(op))
          at = std::max(at, end(op));
      extend(value, def, at);
    });
  }
}

/// The wait that retires a group, `newer` groups having been committed since, walking from `from` to the end of its
/// block; null: none.
Operation *Assigner::retirePoint(Operation *start, Block::iterator from, int64_t newer) {
  Block *block = from == start->getBlock()->end() ? start->getBlock() : from->getBlock();
  for (auto it = from; it != block->end(); ++it) {
    if (isa<hw::WgmmaCommitOp>(*it))
      ++newer;
    if (auto wait = dyn_cast<hw::WgmmaWaitOp>(*it); wait && static_cast<int64_t>(wait.getPending()) <= newer)
      return wait;
    // Groups of inner regions: only a wait for everything is certain to retire.
    Operation *inside = nullptr;
    for (Region &region : it->getRegions())
      region.walk([&](hw::WgmmaWaitOp wait) {
        if (!inside && wait.getPending() == 0 && isa<scf::ForOp>(wait->getParentOp()))
          inside = wait;
      });
    if (inside)
      return &*it;
  }
  return nullptr;
}

void Assigner::findRetirements() {
  for (Operation *op : order) {
    auto mma = dyn_cast<hw::WgmmaOp>(op);
    if (!mma || !isTile(mma.getA()))
      continue;
    Value a = mma.getA();
    // Its own commit comes next and is not newer than itself.
    int64_t newer = -1;
    Operation *at = mma;
    Block::iterator from = std::next(Block::iterator(mma));
    int begun = begin(mma);
    while (at) {
      if (Operation *wait = retirePoint(at, from, newer)) {
        extend(a, begun, begin(wait));
        retired[wait].push_back(a);
        break;
      }
      for (auto it = from; it != at->getBlock()->end(); ++it)
        newer += isa<hw::WgmmaCommitOp>(*it);
      Operation *parentOp = at->getBlock()->getParentOp();
      if (parentOp == role) {
        extend(a, begun, 2 * points);
        break;
      }
      extend(a, begun, end(parentOp));
      if (auto loop = dyn_cast<scf::ForOp>(parentOp)) {
        // Next trip: up to the wait there (or all of the loop).
        Operation *head = &loop.getBody()->front();
        Operation *wait = retirePoint(head, Block::iterator(head), newer);
        wraps[a].push_back(loop);
        // Defined again before the dot of the previous trip has been waited for: its registers would change under the
        // dot.
        if (Operation *def = a.getDefiningOp(); def && loop->isAncestor(def) && (!wait || begin(def) < begin(wait)))
          overwritten.push_back(mma);
        extend(a, begin(loop) + 1, wait ? begin(wait) : end(loop));
        if (wait)
          retired[wait].push_back(a);
      }
      at = parentOp;
      from = std::next(Block::iterator(parentOp));
      begun = end(parentOp);
    }
  }
}

int Assigner::root(int c) {
  while (parent[c] != c)
    c = parent[c] = parent[parent[c]];
  return c;
}

bool Assigner::merge(Value a, Value b) {
  int x = root(indexOf.lookup(a)), y = root(indexOf.lookup(b));
  if (x == y)
    return true;
  if (a.getType() != b.getType() || live[x].anyCommon(live[y]))
    return false;
  if (y < x)
    std::swap(x, y);
  parent[y] = x;
  live[x] |= live[y];
  return true;
}

/// Values that a wgmma may still be writing: dot results, and what loops carry of them.
void Assigner::markPending() {
  for (bool changed = true; changed;) {
    changed = false;
    auto mark = [&](Value value) { changed |= pending.insert(value).second; };
    for (Operation *op : order) {
      if (auto mma = dyn_cast<hw::WgmmaOp>(op))
        mark(mma.getResult());
      for (const PassedVariable &variable : passedVariables(op))
        if (llvm::any_of(variable.given, [&](OpOperand *given) { return pending.contains(given->get()); }))
          for (Value name : variable.names)
            mark(name);
    }
  }
}

LogicalResult Assigner::mergeAll() {
  auto inFlight = [&](Operation *op, Value value) -> LogicalResult {
    if (!pending.contains(value))
      return success();
    return op->emitError("expected an accumulator that can stay in its registers while a dot writes it, got one that "
                         "must be copied at ")
           << op->getName() << " (unroll the loop, or wait for the dot first)";
  };
  for (Operation *op : order) {
    if (auto wait = dyn_cast<hw::WgmmaWaitOp>(op)) {
      for (auto [value, result] : llvm::zip(wait.getValues(), wait.getResults()))
        if (!merge(value, result))
          return wait.emitOpError("expected operands that are not read after the wait except through its results");
    }
    for (const PassedVariable &variable : passedVariables(op))
      if (isTile(variable.names.front()) && !merge(variable.names.front(), variable.names.back()))
        return emitErrorOf(ErrorKind::Internal, op) << "an argument outlives its loop";
  }
  for (Operation *op : order)
    if (auto mma = dyn_cast<hw::WgmmaOp>(op); mma && mma.getAcc() && !merge(mma.getAcc(), mma.getResult()))
      if (failed(inFlight(mma, mma.getAcc())))
        return failure();
  for (Operation *op : order)
    for (const PassedVariable &variable : passedVariables(op)) {
      if (!isTile(variable.names.front()))
        continue;
      // Of a loop, what the next trip begins with comes first; what enters may have to be copied.
      SmallVector<OpOperand *, 2> given(variable.given);
      if (isa<LoopLikeOpInterface>(op))
        std::reverse(given.begin(), given.end());
      for (OpOperand *use : given)
        if (!recomputed.contains(use->get()) && !merge(variable.names.front(), use->get()) &&
            failed(inFlight(use->getOwner(), use->get())))
          return failure();
    }
  SmallVector<int> own; // of products that need arrays of their own
  for (Operation *op : order)
    if (auto mma = dyn_cast<hw::WgmmaOp>(op); mma && ptxas::needsOwnArray(mma))
      own.push_back(indexOf.lookup(mma.getResult()));
  auto overwritten = [&](Value value) {
    return llvm::any_of(own, [&](int product) { return root(product) == root(indexOf.lookup(value)); });
  };
  for (Operation *op : order)
    if (writesInPlace(op) && op->getNumResults() == 1 && indexOf.count(op->getResult(0)))
      for (Value operand : op->getOperands())
        if (indexOf.count(operand) && !overwritten(operand) && merge(operand, op->getResult(0)))
          break;
  return success();
}

/// Innermost block around all defs and uses of a class, and its first op there.
void Assigner::declare(ArrayAssignment &result) {
  for (ArrayClass &array : result.classes) {
    SmallVector<Operation *> touched; // ops that define or use
    for (Value value : array.members) {
      llvm::append_range(touched, wraps.lookup(value));
      Operation *def = value.getDefiningOp();
      touched.push_back(def ? def : value.getParentBlock()->getParentOp());
      forEachReader(value, recomputed, [&](Operation *user, bool) {
        touched.push_back(user);
        // A terminator writes variables of its parent.
        if (isControlFlow(user) && !isBranchOrLoop(user))
          touched.push_back(user->getParentOp());
      });
    }
    for (auto &[wait, operands] : retired)
      for (Value a : operands)
        if (result.classOf.lookup(a) == result.classOf.lookup(array.members[0]))
          touched.push_back(wait);
    Block *block = touched[0]->getBlock();
    auto contains = [&](Operation *op) { return block->findAncestorOpInBlock(*op) != nullptr; };
    while (!llvm::all_of(touched, contains))
      block = block->getParentOp()->getBlock();
    Operation *firstOp = nullptr;
    for (Operation *op : touched) {
      Operation *ancestor = block->findAncestorOpInBlock(*op);
      if (!firstOp || ancestor->isBeforeInBlock(firstOp))
        firstOp = ancestor;
    }
    array.declareBefore = firstOp;
  }
}

void Assigner::countRegisters(ArrayAssignment &result) {
  std::vector<int64_t> taken(2 * points + 2, 0);
  for (size_t i = 0; i < values.size(); ++i)
    if (root(i) == static_cast<int>(i))
      for (unsigned at : live[i].set_bits())
        taken[at] += registersOf(cast<RankedTensorType>(values[i].getType()));
  for (Operation *op : order)
    result.registersAt[op] = {taken[begin(op)], taken[begin(op) + 1]};
}

FailureOr<ArrayAssignment> Assigner::run() {
  number(role.getBody().front());
  computeLiveness();
  findRetirements();
  for (Operation *dot : overwritten)
    return dot->emitOpError("expected a register operand that keeps its value until the dot has been waited for, got "
                            "one that the next iteration redefines before");
  markPending();
  if (failed(mergeAll()))
    return failure();
  ArrayAssignment result;
  DenseMap<int, int> classOfRoot;
  for (size_t i = 0; i < values.size(); ++i) {
    int r = root(i);
    auto [it, isNew] = classOfRoot.try_emplace(r, static_cast<int>(result.classes.size()));
    if (isNew)
      result.classes.push_back({values[i].getType(), {}, nullptr});
    result.classes[it->second].members.push_back(values[i]);
    result.classOf[values[i]] = it->second;
  }
  result.retired = retired;
  declare(result);
  countRegisters(result);
  return result;
}

} // namespace

FailureOr<ArrayAssignment> cuda::assignArrays(hw::RoleOp role, const RecomputedTiles &recomputed) {
  return Assigner(role, recomputed).run();
}
