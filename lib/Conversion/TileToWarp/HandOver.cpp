//===- HandOver.cpp - values that go from one warp group to another --------===//
//
// What:      a kernel tagged by sub-tile plus the groups of a joint schedule -> a kernel tagged by warp group, in which
//            every group uses only register tiles of its own: warp.stage in the producing group, warp.read in each that
//            needs the value.
// Where:     first step of TileToWarp, where an assignment is not the one of sub-tiles. Rings.cpp makes a ring of each
//            stage.
// Algorithm: (1) tags; an iter_arg lives where its yielded value is computed. (2) A group that reads another's iter_arg
//            gets a copy of it, which yields what it read of the producer's value. (3) Operands are replaced by the
//            value in the user's group: free operations are cloned, tiles staged and read. (4) Times: the stage when
//            its value is complete, the read just before its first user; both strictly between the producer's end and
//            the user's start, which the schedule keeps apart by the cost of a transfer (C9).
// Trusts:    the schedule passed the checker; no branch or scf.while passes tiles on (else groups are fixed).
//
//===----------------------------------------------------------------------===//
#include "HandOver.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
namespace heddle {

bool needsHandOver(const LoopSchedules &schedules) {
  for (auto &[loop, schedule] : schedules)
    for (auto &[op, group] : schedule.group)
      if (groupOf(op) != group)
        return true;
  return false;
}

namespace {
/// Ticks of a cycle: room for what stands between an end and a start.
constexpr int64_t ticks = 8;

class HandOvers {
public:
  HandOvers(tile::KernelOp kernel, LoopSchedules &schedules) : kernel(kernel), schedules(schedules) {}

  void run() {
    for (auto &[loop, schedule] : schedules) {
      schedule.ii *= ticks;
      schedule.ticks *= ticks;
      for (auto &[op, start] : schedule.start)
        start *= ticks;
      for (auto &[op, end] : schedule.end)
        end *= ticks;
    }
    retag();
    copyArguments();
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      rewriteOperands(op);
    for (warp::ReadOp read : reads)
      placeRead(read);
  }

private:
  static bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }
  static bool isLoad(Operation *op) { return isa<tile::LoadOp>(op) && isTmaLoad(cast<tile::LoadOp>(op)); }
  /// An operation that one group runs.
  static bool isOwned(Operation *op) { return isComputed(op) && op->getParentOfType<tile::KernelOp>(); }
  static SmallVector<int64_t> ownersOf(scf::ForOp loop) {
    if (auto owners = loop->getAttrOfType<DenseI64ArrayAttr>(argGroupsAttr))
      return SmallVector<int64_t>(owners.asArrayRef());
    SmallVector<int64_t> owners;
    for (BlockArgument arg : loop.getRegionIterArgs())
      owners.push_back(isTile(arg) ? 0 : -1);
    return owners;
  }

  //===--- 1. tags -------------------------------------------------------===//

  void retag() {
    // sub-tile -> group -> elements computed there, above all those that leave the loop
    std::map<int64_t, std::map<int64_t, int64_t>> weight;
    kernel.walk([&](Operation *op) {
      auto schedule = schedules.find(op->getParentOp());
      if (schedule == schedules.end())
        return;
      auto group = schedule->second.group.find(op);
      if (group != schedule->second.group.end())
        for (Value r : op->getResults())
          if (isTile(r)) {
            bool leaves = llvm::any_of(r.getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); });
            weight[groupOf(op)][group->second] +=
                cast<RankedTensorType>(r.getType()).getNumElements() * (leaves ? 1024 : 1);
          }
    });
    auto home = [&](int64_t tile) {
      int64_t best = tile, most = 0;
      for (auto [group, elements] : weight[tile])
        if (elements > most)
          best = group, most = elements;
      return best;
    };
    Builder b(kernel.getContext());
    kernel.walk([&](Operation *op) {
      if (isFree(op)) {
        op->removeAttr(groupAttr); // each user recomputes it
        return;
      }
      if (!isOwned(op))
        return;
      int64_t group = home(groupOf(op));
      if (auto schedule = schedules.find(op->getParentOp()); schedule != schedules.end())
        if (auto known = schedule->second.group.find(op); known != schedule->second.group.end())
          group = known->second;
      setGroup(op, group);
    });
    kernel.walk([&](scf::ForOp loop) {
      SmallVector<int64_t> owners = ownersOf(loop);
      for (auto [i, owner] : llvm::enumerate(owners)) {
        if (owner < 0)
          continue;
        Operation *from = producerThroughFree(loop.getYieldedValues()[i]);
        bool inside = from && schedules.count(loop) && from->getParentOp() == loop.getOperation();
        owner = inside ? groupOf(from) : home(owner);
      }
      loop->setAttr(argGroupsAttr, b.getDenseI64ArrayAttr(owners));
    });
  }

  //===--- 2. copies of iter_args ----------------------------------------===//

  /// Groups that use `value`, seen through free operations; a copy of an inner loop's iter_arg counts, since inner
  /// loops come first.
  void collectGroups(Value value, llvm::SetVector<int64_t> &groups) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isFree(user)) {
        collectGroups(user->getResult(0), groups);
      } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        if (use.getOperandNumber() >= 3)
          groups.insert(ownersOf(loop)[use.getOperandNumber() - 3]);
      } else if (isa<scf::YieldOp>(user)) {
        groups.insert(ownersOf(cast<scf::ForOp>(user->getParentOp()))[use.getOperandNumber()]);
      } else if (isOwned(user)) {
        groups.insert(groupOf(user));
      }
    }
  }

  void copyArguments() {
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); }); // post-order
    for (scf::ForOp loop : loops) {
      SmallVector<int64_t> owners = ownersOf(loop);
      SmallVector<std::pair<unsigned, int64_t>> needed;
      for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
        if (owners[i] < 0 || !isTile(arg))
          continue;
        llvm::SetVector<int64_t> groups;
        collectGroups(arg, groups);
        SmallVector<int64_t> sorted(groups.begin(), groups.end());
        llvm::sort(sorted);
        for (int64_t g : sorted)
          if (g >= 0 && g != owners[i])
            needed.push_back({i, g});
      }
      // What a copy is next is needed where the copy is: the iter_arg, or the one of which it is a free function, that
      // its place yields.
      for (size_t n = 0; n < needed.size(); ++n) {
        auto [i, group] = needed[n];
        collectArguments(loop.getYieldedValues()[i], loop, [&, group = group](unsigned yielded) {
          std::pair<unsigned, int64_t> copy{yielded, group};
          if (owners[yielded] >= 0 && owners[yielded] != group && !llvm::is_contained(needed, copy))
            needed.push_back(copy);
        });
      }
      if (!needed.empty())
        addArguments(loop, needed);
    }
  }

  /// Calls `visit` with the number of every tile iter_arg of `loop` that free operations make `value` of.
  static void collectArguments(Value value, scf::ForOp loop, llvm::function_ref<void(unsigned)> visit) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0 && isTile(argument))
        visit(argument.getArgNumber() - 1);
      return;
    }
    if (Operation *def = value.getDefiningOp(); isFree(def))
      for (Value operand : def->getOperands())
        collectArguments(operand, loop, visit);
  }

  void addArguments(scf::ForOp loop, ArrayRef<std::pair<unsigned, int64_t>> needed) {
    OpBuilder b(loop);
    SmallVector<Value> inits(loop.getInitArgs());
    SmallVector<int64_t> owners = ownersOf(loop);
    for (auto [i, group] : needed) {
      inits.push_back(loop.getInitArgs()[i]);
      owners.push_back(group);
    }
    auto copy = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    copy->setAttr(argGroupsAttr, b.getDenseI64ArrayAttr(owners));
    copy.getRegion().takeBody(loop.getRegion());
    Operation *yield = copy.getBody()->getTerminator();
    for (auto [i, group] : needed) {
      BlockArgument arg = copy.getRegionIterArg(i);
      copyOf[{arg, group}] = copy.getBody()->addArgument(arg.getType(), arg.getLoc());
      yield->insertOperands(yield->getNumOperands(), yield->getOperand(i));
    }
    for (auto [from, to] : llvm::zip(loop.getResults(), copy.getResults()))
      from.replaceAllUsesWith(to);
    if (auto schedule = schedules.find(loop); schedule != schedules.end()) {
      LoopSchedule moved = std::move(schedule->second);
      schedules.erase(schedule);
      schedules[copy] = std::move(moved);
    }
    loop.erase();
  }

  //===--- 3. operands ---------------------------------------------------===//

  void rewriteOperands(Operation *op) {
    auto rewrite = [&](OpOperand &use, int64_t group) {
      if (group >= 0 && isTile(use.get()))
        use.set(valueIn(use.get(), group));
    };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      SmallVector<int64_t> owners = ownersOf(loop);
      for (unsigned i = 0; i < owners.size(); ++i)
        rewrite(op->getOpOperand(3 + i), owners[i]);
    } else if (auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp()); loop && isa<scf::YieldOp>(op)) {
      SmallVector<int64_t> owners = ownersOf(loop);
      for (OpOperand &use : op->getOpOperands())
        rewrite(use, owners[use.getOperandNumber()]);
    } else if (isOwned(op)) {
      for (OpOperand &use : op->getOpOperands())
        rewrite(use, groupOf(op));
    }
  }

  /// What stands for register tile `value` in `group`.
  Value valueIn(Value value, int64_t group) {
    if (!isTile(value))
      return value;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = cast<scf::ForOp>(arg.getOwner()->getParentOp());
      if (ownersOf(loop)[arg.getArgNumber() - 1] == group)
        return value;
      return copyOf.lookup({value, group});
    }
    Operation *def = value.getDefiningOp();
    if (isFree(def)) {
      if (Value known = values.lookup({value, group}))
        return known;
      IRMapping map;
      bool changed = false;
      for (Value operand : def->getOperands()) {
        Value v = valueIn(operand, group);
        changed |= v != operand;
        map.map(operand, v);
      }
      if (!changed)
        return values[{value, group}] = value;
      OpBuilder b(def);
      b.setInsertionPointAfter(def);
      return values[{value, group}] = b.clone(*def, map)->getResult(0);
    }
    int64_t owner = groupOf(def);
    if (auto loop = dyn_cast<scf::ForOp>(def)) {
      unsigned i = cast<OpResult>(value).getResultNumber();
      owner = ownersOf(loop)[i];
      if (Value copy = owner == group ? Value() : copyOf.lookup({loop.getRegionIterArg(i), group}))
        return loop.getResult(cast<BlockArgument>(copy).getArgNumber() - 1);
    }
    if (owner == group || isLoad(def))
      return value;
    return readOf(value, owner, group);
  }

  template <typename Op> Op tagged(Op op, int64_t group) {
    setGroup(op, group);
    return op;
  }

  void setStart(Operation *op, int64_t time) {
    if (auto schedule = schedules.find(op->getParentOp()); schedule != schedules.end())
      schedule->second.start[op] = time;
  }

  /// Shared memory has tiles of rank 1 and 2: all dimensions but the last of others become rows.
  static RankedTensorType asRows(RankedTensorType type) {
    if (type.getRank() <= 2)
      return type;
    int64_t columns = type.getShape().back();
    return RankedTensorType::get({type.getNumElements() / columns, columns}, type.getElementType());
  }
  static SmallVector<ReassociationIndices> groupsOfRows(RankedTensorType type) {
    SmallVector<ReassociationIndices> groups(2);
    for (int64_t d = 0; d < type.getRank(); ++d)
      groups[d + 1 == type.getRank()].push_back(d);
    return groups;
  }

  /// The staged tile of `value`, right behind its definition. Truth values travel as 32-bit numbers.
  warp::StageOp stageOf(Value value, int64_t owner) {
    warp::StageOp &stage = stages[value];
    if (stage)
      return stage;
    Operation *def = value.getDefiningOp();
    OpBuilder b(def);
    b.setInsertionPointAfter(def);
    auto type = cast<RankedTensorType>(value.getType());
    auto schedule = schedules.find(def->getParentOp());
    int64_t end = schedule == schedules.end() ? 0 : schedule->second.end.lookup(def);
    if (type.getElementType().isInteger(1)) {
      type = RankedTensorType::get(type.getShape(), b.getI32Type());
      value = tagged(arith::ExtUIOp::create(b, def->getLoc(), type, value), owner);
      setStart(value.getDefiningOp(), end + 1);
    }
    // A scalar travels as a tile of one element.
    if (type.getRank() == 0)
      value = tagged(tile::BroadcastOp::create(b, def->getLoc(), RankedTensorType::get({1}, type.getElementType()),
                                               value, uint64_t(0)),
                     owner);
    else if (RankedTensorType rows = asRows(type); rows != type)
      value = tagged(tensor::CollapseShapeOp::create(b, def->getLoc(), rows, value, groupsOfRows(type)), owner);
    type = cast<RankedTensorType>(value.getType());
    auto smem = warp::SmemType::get(b.getContext(), type.getShape(), type.getElementType());
    stage = tagged(warp::StageOp::create(b, def->getLoc(), smem, value), owner);
    setStart(stage, end + 2);
    return stage;
  }

  Value readOf(Value value, int64_t owner, int64_t group) {
    if (Value known = values.lookup({value, group}))
      return known;
    warp::StageOp stage = stageOf(value, owner);
    OpBuilder b(stage);
    b.setInsertionPointAfter(stage);
    auto type = cast<RankedTensorType>(stage.getValue().getType());
    auto read = tagged(warp::ReadOp::create(b, stage.getLoc(), type, stage.getResult()), group);
    reads.push_back(read);
    Value result = read.getResult();
    auto given = cast<RankedTensorType>(value.getType());
    if (given.getRank() == 0) {
      type = given.clone(type.getElementType());
      result = tagged(
          tile::ReduceOp::create(b, stage.getLoc(), type, tile::nameOf(tile::FoldKind::Max), result, uint64_t(0)),
          group);
    } else if (given.getRank() > 2) {
      type = given.clone(type.getElementType());
      result = tagged(tensor::ExpandShapeOp::create(b, stage.getLoc(), type, result, groupsOfRows(given)), group);
    }
    if (type != value.getType()) {
      auto zero = arith::ConstantOp::create(b, stage.getLoc(), cast<TypedAttr>(b.getZeroAttr(type)));
      result = tagged(arith::CmpIOp::create(b, stage.getLoc(), arith::CmpIPredicate::ne, result, zero), group);
    }
    return values[{value, group}] = result;
  }

  //===--- 4. times ------------------------------------------------------===//

  /// The first start among the users of `value` in `loop`, counted in the iteration that `value` is of.
  std::optional<int64_t> firstUse(Value value, scf::ForOp loop, const LoopSchedule &schedule, int depth = 0) {
    std::optional<int64_t> first;
    auto take = [&](std::optional<int64_t> t) {
      if (t && (!first || *t < *first))
        first = t;
    };
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user->getParentOp() != loop.getOperation() || depth > 8)
        continue;
      if (isFree(user)) {
        take(firstUse(user->getResult(0), loop, schedule, depth + 1));
      } else if (isa<scf::YieldOp>(user)) {
        if (auto t = firstUse(loop.getRegionIterArg(use.getOperandNumber()), loop, schedule, depth + 1))
          take(*t + schedule.ii);
      } else if (auto start = schedule.start.find(user); start != schedule.start.end()) {
        take(start->second);
      }
    }
    return first;
  }

  void placeRead(warp::ReadOp read) {
    auto loop = dyn_cast<scf::ForOp>(read->getParentOp());
    auto schedule = loop ? schedules.find(loop) : schedules.end();
    if (schedule == schedules.end())
      return;
    auto compare = read.getResult().hasOneUse() ? dyn_cast<arith::CmpIOp>(*read->user_begin()) : arith::CmpIOp();
    bool truth = compare && !schedule->second.start.count(compare);
    Value result = truth ? compare.getResult() : read.getResult();
    int64_t staged = schedule->second.start.lookup(read.getSource().getDefiningOp());
    int64_t first = firstUse(result, loop, schedule->second).value_or(staged + ticks);
    setStart(read, first - 2);
    if (truth)
      setStart(compare, first - 1);
  }

  tile::KernelOp kernel;
  LoopSchedules &schedules;
  DenseMap<std::pair<Value, int64_t>, Value> copyOf;        ///< (iter_arg, group) -> that group's copy
  llvm::MapVector<std::pair<Value, int64_t>, Value> values; ///< (value, group) -> its stand-in
  llvm::MapVector<Value, warp::StageOp> stages;
  SmallVector<warp::ReadOp> reads;
};
} // namespace

void insertHandOvers(tile::KernelOp kernel, LoopSchedules &schedules) { HandOvers(kernel, schedules).run(); }

} // namespace heddle
