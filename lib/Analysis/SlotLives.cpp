//===- SlotLives.cpp - see SlotLives.h -------------------------------------------===//
#include "heddle/Analysis/SlotLives.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

/// The number of the region of `around` that `op` is in.
static unsigned regionIn(Operation *around, Operation *op) {
  Region *region = op->getParentRegion();
  while (region->getParentOp() != around)
    region = region->getParentRegion();
  return region->getRegionNumber();
}

/// True where `a` stands before `b` in the program's text; what contains another operation stands before it.
static bool standsBefore(Operation *a, Operation *b) {
  for (Operation *x = a; x; x = x->getParentOp()) {
    Operation *y = x->getBlock()->findAncestorOpInBlock(*b);
    if (!y)
      continue;
    if (x != y)
      return x->isBeforeInBlock(y);
    return a != b && (x == a || (x != b && regionIn(x, a) < regionIn(x, b)));
  }
  return false;
}

SmallVector<Operation *> usersThroughFree(Value value) {
  llvm::SetVector<Operation *> users;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value v = work.pop_back_val();
    for (Operation *user : v.getUsers()) {
      if (isFree(user))
        work.append(user->result_begin(), user->result_end());
      else
        users.insert(user);
    }
  }
  SmallVector<Operation *> sorted(users.begin(), users.end());
  llvm::sort(sorted, standsBefore);
  return sorted;
}

bool shareRing(tile::LoadOp load, tile::LoadOp other) {
  auto hasRing = [](tile::LoadOp load) {
    return isTmaLoad(load) && load.getResult().getType().getRank() > 1 && !load->hasAttr(partRingAttr);
  };
  return hasRing(load) && hasRing(other) && load->getBlock() == other->getBlock() &&
         usersThroughFree(load.getResult()) == usersThroughFree(other.getResult());
}

bool SlotLife::endsBefore(const SlotLife &other) const {
  return standsBefore(end, other.begin) && !end->isAncestor(other.begin);
}

SlotLife lifeOfSlot(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()); loop && isScheduledLoop(loop))
    return lifeOf(loop);
  SlotLife life{op, op};
  for (Operation *user : usersThroughFree(op->getResult(0)))
    if (Operation *here = op->getBlock()->findAncestorOpInBlock(*user); here && life.end->isBeforeInBlock(here))
      life.end = here;
  return life;
}

bool mayShareSlot(tile::KernelOp kernel, Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return kernel->hasAttr(shareSlotsAttr) || (kernel->hasAttr(shareLoopSlotsAttr) && loop && isScheduledLoop(loop));
}

int64_t mostBytes(ArrayRef<std::pair<SlotLife, int64_t>> lives) {
  int64_t most = 0;
  for (const auto &[now, own] : lives) { // the most are taken where one begins
    int64_t bytes = 0;
    for (const auto &[life, taken] : lives)
      if (life.meets(now) && !standsBefore(now.begin, life.begin))
        bytes += taken;
    most = std::max(most, bytes);
  }
  return most;
}

static SmallVector<scf::ForOp> scheduledLoops(tile::KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (isScheduledLoop(loop))
      loops.push_back(loop);
  });
  return loops;
}

void shareSlotsWhereNeeded(tile::KernelOp kernel, int64_t bytes, llvm::function_ref<int64_t(Operation *)> slots) {
  for (scf::ForOp loop : scheduledLoops(kernel)) {
    int64_t own = 0;
    loop.walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op); load && isTmaLoad(load))
        own += slots(op) * slotBytes(load.getResult().getType());
      if (auto stage = dyn_cast<warp::StageOp>(op))
        own += slots(op) * slotBytes(stage.getValue().getType());
    });
    if (own + bytesLoadedElsewhere(loop) + bytesBesideRings(loop) > bytes)
      kernel->setAttr(shareSlotsAttr, UnitAttr::get(kernel.getContext()));
  }
}

/// Whether `one` stands before `other`, and both load tiles from one view by the copy engine: of one type, or smaller
/// ones where `other` goes on with what `one` has left.
static bool loadsAlikeBefore(scf::ForOp one, scf::ForOp other) {
  if (!lifeOf(one).endsBefore(lifeOf(other)))
    return false;
  bool goesOn = other.getLowerBound() == one.getUpperBound();
  for (auto load : one.getBody()->getOps<tile::LoadOp>())
    for (auto next : other.getBody()->getOps<tile::LoadOp>())
      if (isTmaLoad(load) && isTmaLoad(next) && load.getView() == next.getView() &&
          (load.getType() == next.getType() || (goesOn && slotBytes(next.getType()) < slotBytes(load.getType()))))
        return true;
  return false;
}

void shareSlotsOfLikeLoops(tile::KernelOp kernel) {
  SmallVector<scf::ForOp> loops = scheduledLoops(kernel);
  for (scf::ForOp one : loops)
    for (scf::ForOp other : loops)
      if (loadsAlikeBefore(one, other))
        kernel->setAttr(shareLoopSlotsAttr, UnitAttr::get(kernel.getContext()));
}

} // namespace heddle
