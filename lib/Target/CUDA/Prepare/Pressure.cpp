//===- Pressure.cpp - see Pressure.h --------------------------------------------===//
#include "Pressure.h"

#include "RegisterTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

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
      if (printsNothing(op))
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
  bool printsNothing(Operation &op) const { return op.getNumResults() == 1 && recomputed.contains(op.getResult(0)); }
  static bool isElementwise(Operation &op) {
    return op.getNumResults() == 1 && isa<RankedTensorType>(op.getResult(0).getType()) &&
           op.hasTrait<OpTrait::Elementwise>();
  }
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
  constexpr int64_t besideTiles = 20; // addresses, coordinates, elements on their way
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
    if (carried && taken + besideTiles > static_cast<int64_t>(role.getRegs()))
      places.insert(select.getLoc());
  });
  llvm::DenseSet<Operation *> unbranched;
  role.walk([&](arith::SelectOp select) { // before the loop as well: its first values come from there
    if (places.contains(select.getLoc()))
      unbranched.insert(select);
  });
  return unbranched;
}
