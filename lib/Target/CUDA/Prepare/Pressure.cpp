//===- Pressure.cpp - see Pressure.h --------------------------------------------===//
#include "Pressure.h"

#include "RegisterTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

bool isElementwise(Operation &op) {
  return op.getNumResults() == 1 && isa<RankedTensorType>(op.getResult(0).getType()) &&
         op.hasTrait<OpTrait::Elementwise>();
}

/// Printed where it is read.
bool printsNothing(Operation &op, const RecomputedTiles &recomputed) {
  return op.getNumResults() == 1 && recomputed.contains(op.getResult(0));
}

class Counter {
public:
  Counter(const RecomputedTiles &recomputed, const ArrayAssignment &arrays) : recomputed(recomputed), arrays(arrays) {}

  void visit(Block &block) {
    Operation *last = nullptr; // of a run of element-wise operations
    auto finish = [&] {
      if (last)
        count(arrays.registersAt.lookup(last).second);
      last = nullptr;
    };
    for (Operation &op : block) {
      if (printsNothing(op, recomputed))
        continue;
      auto [before, after] = arrays.registersAt.lookup(&op);
      if (isElementwise(op)) {
        if (!last)
          count(before);
        last = &op;
        continue;
      }
      finish();
      count(std::max(before, after));
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner);
    }
    finish();
  }

  int64_t most = 0;

private:
  void count(int64_t registers) { most = std::max(most, registers); }

  const RecomputedTiles &recomputed;
  const ArrayAssignment &arrays;
};

} // namespace

int64_t cuda::tileRegisters(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays) {
  Counter counter(recomputed, arrays);
  counter.visit(role.getBody().front());
  return counter.most;
}

llvm::DenseSet<Operation *> cuda::findUnbranched(hw::RoleOp role, const ArrayAssignment &arrays) {
  llvm::DenseSet<Location> places;
  role.walk([&](arith::SelectOp select) {
    auto tile = dyn_cast<RankedTensorType>(select.getType());
    auto array = arrays.classOf.find(select.getResult());
    // What a product gave keeps its registers on both ways.
    bool ofProduct = isa_and_nonnull<hw::WgmmaWaitOp>(select.getTrueValue().getDefiningOp());
    if (!tile || ofProduct || array == arrays.classOf.end())
      return;
    bool carried = llvm::any_of(arrays.classes[array->second].members, [](Value member) {
      return isa<BlockArgument>(member) && isa<scf::ForOp>(member.getParentBlock()->getParentOp());
    });
    int64_t taken = arrays.registersAt.lookup(select).second + registersOf(tile);
    if (carried && taken + registersBesideTiles > static_cast<int64_t>(role.getRegs()))
      places.insert(select.getLoc());
  });
  llvm::DenseSet<Operation *> unbranched;
  role.walk([&](arith::SelectOp select) { // before the loop as well: its first values come from there
    if (places.contains(select.getLoc()))
      unbranched.insert(select);
  });
  return unbranched;
}

/// Whether `arrive` hands a tile to one thread that copies it to global memory.
static bool handsToCopy(hw::ArriveOp arrive) {
  return llvm::any_of(arrive.getBars().getUsers(), [&](Operation *user) {
    auto reader = user->getParentOfType<hw::RoleOp>();
    return isa<hw::WaitOp>(user) && reader.getSingle() && reader != arrive->getParentOfType<hw::RoleOp>() &&
           reader.walk([](hw::TmaStoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

llvm::DenseSet<Operation *> cuda::findBlockEnds(hw::RoleOp role, const RecomputedTiles &recomputed,
                                                const ArrayAssignment &arrays) {
  llvm::DenseSet<Operation *> ends;
  if (role->getParentOfType<hw::KernelOp>()->hasAttr(hw::endBlocksAttr)) {
    role.walk([&](Operation *op) {
      bool begins = op->getNextNode() && isa<hw::WgmmaWaitOp>(op->getNextNode());
      if (isa<hw::WgmmaFenceOp, hw::WgmmaWaitOp>(op) || (isa<hw::WgmmaCommitOp>(op) && !begins))
        ends.insert(op);
    });
    return ends;
  }
  if (!role.getSingle())
    role.walk([&](hw::ArriveOp arrive) {
      if (arrive.getSync() && handsToCopy(arrive))
        ends.insert(arrive);
    });
  role.walk([&](Block *block) {
    int64_t moved = 0; // what is alive, at most, in front of the arithmetic that ptxas may move
    for (Operation &op : *block) {
      if (isa<hw::WaitOp>(op) || op.getNumRegions()) {
        moved = 0;
      } else if (isElementwise(op) && !printsNothing(op, recomputed)) {
        moved = std::max(moved, arrays.registersAt.lookup(&op).first);
      } else if (isa<hw::WgmmaFenceOp>(op) && moved) {
        int64_t taken = moved;
        for (Operation *next = op.getNextNode(); next && !isa<hw::WgmmaCommitOp>(next); next = next->getNextNode())
          if (auto dot = dyn_cast<hw::WgmmaOp>(next); dot && !dot.getAcc())
            taken += registersOf(cast<RankedTensorType>(dot.getResult().getType()));
        if (taken + registersBesideTiles > static_cast<int64_t>(role.getRegs())) {
          ends.insert(&op);
          moved = 0;
        }
      }
    }
  });
  return ends;
}
