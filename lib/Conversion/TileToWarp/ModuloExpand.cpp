//===- ModuloExpand.cpp - prologue, steady state and epilogue of a loop ----===//
//
// What:      a loop in program order plus (order, stage) of its operations -> its modulo-scheduled expansion.
// Where:     at the end of building one group's loop; gets, waits and releases are items like any other operation.
// Algorithm: what runs in which section, and for which iteration, is the expansion of the stream
//            (Scheduling/Stream/Stream.h). A value used d kernel iterations after its definition
//            is carried in d iter_args (rotating registers in SSA). Waits name what they wait for by such values, so
//            that nothing is counted here (Dialect/Warp/Waits.h); those that wait for nothing stay.
// Why not the upstream pipeliner: for trip counts known only at run time it predicates each prologue operation or
// selects between results;
//            neither is possible around wgmma (docs/decisions/0002-own-modulo-expansion.md).
// Short trips: the pipelined form is right from S - 1 trips on (S stages). Where that is one trip, no other copy of the
//            loop exists: without a trip nothing happens. Else the sequential form stands in the other branch: where
//            groups hand tiles to each other, in the order of the schedule, in which each takes a tile when it needs
//            it (the program's order would hold all of them at once).
// Verifies:  every use finds its value (else the order was not legal: internal error).
//
//===----------------------------------------------------------------------===//
#include "ModuloExpand.h"

#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Scheduling/Stream/Stream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {
namespace {

class Expander {
public:
  Expander(scf::ForOp loop, ArrayRef<StreamItem> items, int64_t mostStages)
      : loop(loop), items(items), loc(loop.getLoc()), mostStages(mostStages) {
    std::vector<int64_t> stageOfItem;
    for (auto [i, item] : llvm::enumerate(items)) {
      stageOfItem.push_back(item.stage);
      for (Operation *op : item.ops)
        itemOf[op] = i;
    }
    expansion = expandStream(stageOfItem);
    stages = expansion.prologue.size() + 1;
  }

  FailureOr<SmallVector<Value>> run() {
    // The pipelined form starts stages - 1 iterations before its steady state: it is right from that many trips on.
    int64_t least = std::max(stages, mostStages) - 1;
    if (stages == 1 && least <= 1) {
      reorder();
      OpBuilder b(loop);
      b.setInsertionPointAfter(loop);
      return waitForDots(b, loop.getResults());
    }
    OpBuilder b(loop);
    Value trip = loop.getUpperBound();
    Value enough =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, trip, arith::ConstantIndexOp::create(b, loc, least));
    auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), enough, /*withElseRegion=*/true);
    FailureOr<SmallVector<Value>> piped = pipeline(OpBuilder::atBlockBegin(branch.thenBlock()), trip);
    if (failed(piped))
      return failure();
    finish(branch.thenBlock(), *piped);
    if (least <= 1) { // no trip: nothing happens
      OpBuilder none = OpBuilder::atBlockEnd(branch.elseBlock());
      if (loop.getNumResults())
        scf::YieldOp::create(none, loc, loop.getInitArgs());
    } else {
      if (mostStages)
        reorder();
      loop->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
      finish(branch.elseBlock(), loop.getResults());
    }
    if (failedUse)
      return failure();
    if (least <= 1) // all of it has been cloned
      loop.erase();
    return SmallVector<Value>(branch.getResults());
  }

private:
  //===--- helpers -------------------------------------------------------===//

  int64_t stageOf(Operation *op) const { return items[itemOf.lookup(op)].stage; }
  bool inBody(Value v) const { return v.getDefiningOp() && itemOf.count(v.getDefiningOp()); }
  Value yieldOf(BlockArgument arg) { return loop.getYieldedValues()[arg.getArgNumber() - 1]; }
  bool isCarried(Value v) const {
    auto arg = dyn_cast<BlockArgument>(v);
    return arg && arg.getOwner() == loop.getBody() && arg.getArgNumber() > 0;
  }
  bool isIteration(Value v) { return v == loop.getInductionVar(); }

  /// What `v` is: `value` of `distance` iterations before. An iter_arg may yield another one: followed to the one that
  /// does not.
  struct Origin {
    Value value;
    int64_t distance = 0;
  };
  Origin originOf(Value v) {
    Origin origin{v};
    while (isCarried(origin.value) && origin.distance <= static_cast<int64_t>(loop.getNumRegionIterArgs())) {
      origin.value = yieldOf(cast<BlockArgument>(origin.value));
      ++origin.distance;
    }
    return origin;
  }
  int64_t stageOf(const Origin &origin) { return inBody(origin.value) ? stageOf(origin.value.getDefiningOp()) : 0; }

  /// The value of iter_arg `v` in iteration `j`, where that is an init; else nothing.
  Value initOf(Value v, int64_t j) {
    for (; j > 0 && isCarried(v); --j)
      v = yieldOf(cast<BlockArgument>(v));
    return isCarried(v) ? loop.getInitArgs()[cast<BlockArgument>(v).getArgNumber() - 1] : Value();
  }

  /// The loop's results with those in flight (dots) waited for.
  SmallVector<Value> waitForDots(OpBuilder &b, ValueRange values) {
    SmallVector<Value> results(values), pending;
    SmallVector<unsigned> where;
    for (unsigned i = 0; i < results.size(); ++i) {
      Value y = loop.getYieldedValues()[i];
      if (y.getDefiningOp<warp::DotOp>()) {
        pending.push_back(results[i]);
        where.push_back(i);
      }
    }
    if (!pending.empty()) {
      auto wait = warp::DotWaitOp::create(b, loc, pending, 0);
      for (auto [i, r] : llvm::zip(where, wait.getResults()))
        results[i] = r;
    }
    return results;
  }

  /// Ends a branch; its results are plain values (nothing in flight), so that they may be copied.
  void finish(Block *block, ValueRange values) {
    OpBuilder b = OpBuilder::atBlockEnd(block);
    SmallVector<Value> results = waitForDots(b, values);
    if (!block->empty() && isa<scf::YieldOp>(block->back()))
      block->back().erase();
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, results);
  }

  Value useError(Operation *op, const Twine &what) {
    if (!failedUse)
      emitErrorOf(ErrorKind::Internal, op) << "modulo expansion: " << what;
    failedUse = true;
    return {};
  }

  void cloneItem(OpBuilder &b, const StreamItem &item, IRMapping &map,
                 llvm::function_ref<Value(Operation *, Value)> resolve) {
    Value iteration; // one value for all of an item: what acquires a use copies into that one
    for (Operation *op : item.ops) {
      IRMapping local;
      for (Value operand : op->getOperands()) {
        Value v = isIteration(operand) && iteration ? iteration : resolve(op, operand);
        if (!v)
          return;
        if (isIteration(operand))
          iteration = v;
        local.map(operand, v);
      }
      Operation *copy = b.clone(*op, local);
      for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
        map.map(from, to);
    }
  }

  //===--- one stage -----------------------------------------------------===//

  /// One iteration in the order of the schedule: stage by stage.
  void reorder() {
    Operation *end = loop.getBody()->getTerminator();
    for (int64_t stage = 0; stage < stages; ++stage)
      for (const StreamItem &item : items)
        if (item.stage == stage)
          for (Operation *op : item.ops)
            op->moveBefore(end);
  }

  //===--- several stages ------------------------------------------------===//

  /// Key of a carried value: an operation's result, or an iter_arg of the original loop (its init stands in before
  /// iteration 0). Registers that version `d` (d kernel iterations old) is needed.
  void need(Value key, int64_t d) {
    int64_t &most = versions[key];
    most = std::max(most, d);
  }

  LogicalResult collectVersions() {
    for (const StreamItem &item : items)
      for (Operation *op : item.ops)
        for (Value v : op->getOperands()) {
          if (inBody(v)) {
            if (int64_t d = item.stage - stageOf(v.getDefiningOp()); d > 0)
              need(v, d);
          } else if (isCarried(v)) {
            Origin from = originOf(v);
            if (isCarried(from.value))
              return emitErrorOf(ErrorKind::Internal, op) << "modulo expansion: iter_args that only yield each other";
            if (int64_t d = item.stage + from.distance - stageOf(from); d > 0)
              need(v, d);
          }
        }
    for (BlockArgument arg : loop.getRegionIterArgs())
      if (int64_t d = resultVersion(arg); d > 0)
        need(arg, d);
    return success();
  }

  /// The version of `arg` that the loop's result is after the steady state; 0 or below: an epilogue makes it, or no
  /// operation does.
  int64_t resultVersion(BlockArgument arg) {
    Origin from = originOf(arg);
    return !inBody(from.value) && from.distance == 1 ? 0 : from.distance - stageOf(from);
  }

  Value iteration(OpBuilder &b, Value base, int64_t minus) {
    return minus ? arith::SubIOp::create(b, loc, base, arith::ConstantIndexOp::create(b, loc, minus)).getResult()
                 : base;
  }

  FailureOr<SmallVector<Value>> pipeline(OpBuilder b, Value trip) {
    if (failed(collectVersions()))
      return failure();
    int64_t s = stages;
    SmallVector<IRMapping> iter(s);
    std::function<Value(Operation *, Value, int64_t)> atIteration = [&](Operation *op, Value v, int64_t j) -> Value {
      if (isIteration(v))
        return arith::ConstantIndexOp::create(b, loc, j);
      if (isCarried(v)) {
        auto arg = cast<BlockArgument>(v);
        return j == 0 ? loop.getInitArgs()[arg.getArgNumber() - 1] : atIteration(op, yieldOf(arg), j - 1);
      }
      if (!inBody(v))
        return v;
      Value found = iter[j].lookupOrNull(v);
      return found ? found : useError(op, "a value of the prologue is used before it is defined");
    };
    for (const std::vector<StreamStep> &section : expansion.prologue)
      for (auto [entry, j] : section)
        cloneItem(b, items[entry], iter[j], [&, j = j](Operation *op, Value v) { return atIteration(op, v, j); });
    // Steady state. Version d of a key at kernel iteration s - 1 is iteration s - 1 - stage - d of its definition.
    SmallVector<Value> inits;
    llvm::MapVector<std::pair<Value, int64_t>, unsigned> slot;
    for (auto &[key, most] : versions)
      for (int64_t d = 1; d <= most; ++d) {
        Origin from = originOf(key);
        int64_t j = s - 1 - stageOf(from) - d; // iteration of the definition
        Value init;
        if (j >= 0)
          init = inBody(from.value) ? iter[j].lookupOrNull(from.value) : from.value;
        else if (isCarried(key) && j + from.distance >= 0)
          init = initOf(key, j + from.distance);
        if (!init)
          return useError(loop, "no first value of a carried version"), failure();
        slot[{key, d}] = inits.size();
        inits.push_back(init);
      }
    auto kernel = scf::ForOp::create(b, loc, arith::ConstantIndexOp::create(b, loc, s - 1), trip,
                                     arith::ConstantIndexOp::create(b, loc, 1), inits);
    kernel->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    for (auto &[key, index] : slot)
      tile::keepName(key.first, kernel.getRegionIterArg(index));
    if (inits.empty())
      kernel.getBody()->getTerminator()->erase();
    OpBuilder k = OpBuilder::atBlockEnd(kernel.getBody());
    IRMapping current;
    auto carried = [&](Value key, int64_t d) { return kernel.getRegionIterArg(slot.lookup({key, d})); };
    for (auto [entry, j] : expansion.steady) {
      const StreamItem &item = items[entry];
      cloneItem(k, item, current, [&, j = j](Operation *op, Value v) -> Value {
        if (isIteration(v))
          return iteration(k, kernel.getInductionVar(), -j);
        if (!isCarried(v) && !inBody(v))
          return v;
        Origin from = originOf(v);
        int64_t d = item.stage + from.distance - stageOf(from);
        if (d > 0)
          return carried(v, d);
        Value found = d == 0 ? current.lookupOrNull(from.value) : Value();
        return found ? found : useError(op, "the order uses a value before it is defined");
      });
    }
    if (failedUse)
      return failure();
    SmallVector<Value> yields(inits.size());
    for (auto &[key, index] : slot) {
      Value y = originOf(key.first).value;
      if (key.second > 1)
        yields[index] = carried(key.first, key.second - 1);
      else
        yields[index] = inBody(y) ? current.lookup(y) : y;
    }
    scf::YieldOp::create(k, loc, yields);
    // Epilogue: section e = 1 .. s - 1 is kernel iteration trip - 1 + e.
    SmallVector<IRMapping> after(s);
    auto atEnd = [&](Operation *op, Value v, int64_t j, int64_t e) -> Value {
      if (isIteration(v))
        return iteration(b, trip, -j);
      if (!isCarried(v) && !inBody(v))
        return v;
      Origin from = originOf(v);
      int64_t d = e - 1 - j + from.distance - stageOf(from); // kernel iterations back
      if (e - d >= 1) {
        Value found = inBody(from.value) ? after[e - d].lookupOrNull(from.value) : from.value;
        return found ? found : useError(op, "a value of the epilogue is used before it is defined");
      }
      return kernel.getResult(slot.lookup({v, d - (e - 1)}));
    };
    for (int64_t e = 1; e < s; ++e)
      for (auto [entry, j] : expansion.epilogue[e - 1])
        cloneItem(b, items[entry], after[e], [&, j = j](Operation *op, Value v) { return atEnd(op, v, j, e); });
    if (failedUse)
      return failure();
    SmallVector<Value> results;
    for (BlockArgument arg : loop.getRegionIterArgs()) {
      Origin from = originOf(arg);
      if (int64_t d = resultVersion(arg); d > 0)
        results.push_back(kernel.getResult(slot.lookup({arg, d})));
      else
        results.push_back(inBody(from.value) ? after[1 - d].lookup(from.value) : from.value);
    }
    return results;
  }

  mutable scf::ForOp loop;
  ArrayRef<StreamItem> items;
  Location loc;
  int64_t mostStages; ///< of all groups that hand tiles to each other
  StreamExpansion expansion;
  int64_t stages = 1;
  bool failedUse = false;
  DenseMap<Operation *, unsigned> itemOf;
  llvm::MapVector<Value, int64_t> versions;
};
} // namespace

FailureOr<SmallVector<Value>> expandModulo(scf::ForOp loop, ArrayRef<StreamItem> items, int64_t mostStages) {
  return Expander(loop, items, mostStages).run();
}

} // namespace heddle
