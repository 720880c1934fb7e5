//===- Loops.cpp - see Loops.h --------------------------------------------------===//
#include "Loops.h"

#include "Pressure.h"
#include "RegisterTilesImpl.h"
#include "Roles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

class LoopFinder {
public:
  LoopFinder(const RecomputedTiles &recomputed, const ArrayAssignment &arrays, bool slices)
      : recomputed(recomputed), arrays(arrays), slices(slices) {}

  void visit(Block &block) {
    for (Operation &op : block) {
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          finish();
          visit(inner);
        }
      if (printsNothing(op))
        continue;
      if (!fits(op))
        finish();
      if (isElementwiseLoop(op))
        add(op);
    }
    finish();
  }

  SharedLoops loops;

private:
  bool printsNothing(Operation &op) const {
    return isNumber(&op) || isKnownTruth(&op) || (op.getNumResults() == 1 && recomputed.contains(op.getResult(0)));
  }

  static bool isPlain(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return !tile || registerArrayOf(tile).packing == 1;
  }

  /// One loop over all elements, one statement each.
  bool isElementwiseLoop(Operation &op) const {
    if (op.getNumResults() != 1 || !isa<RankedTensorType>(op.getResult(0).getType()) ||
        !op.hasTrait<OpTrait::Elementwise>() || !hasScalarExpression(&op))
      return false;
    if (slices)
      return registerArrayOf(cast<RankedTensorType>(op.getResult(0).getType())).elements > sliceElements &&
             registerArrayOf(cast<RankedTensorType>(op.getResult(0).getType())).elements % sliceElements == 0;
    if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<RankedTensorType>(select.getCondition().getType()))
      return false; // may become a branch
    bool plain = isPlain(op.getResult(0).getType());
    for (Value operand : op.getOperands()) {
      plain &= isPlain(operand.getType());
      if (isa<RankedTensorType>(operand.getType()))
        forEachSource(operand, recomputed, [&](Value source, bool) { plain &= isPlain(source.getType()); });
    }
    return plain && sizeOf(op) > 1;
  }

  int64_t sizeOf(Operation &op) const {
    RegisterArray array = registerArrayOf(cast<RankedTensorType>(op.getResult(0).getType()));
    return slices ? array.elements : array.size;
  }

  bool fits(Operation &op) const {
    if (run.empty())
      return true;
    if (!isElementwiseLoop(op) || sizeOf(op) != sizeOf(*run.front()) ||
        readElsewhere.contains(arrays.classOf.lookup(op.getResult(0))))
      return false;
    bool safe = true;
    for (Value operand : op.getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        forEachSource(operand, recomputed, [&](Value source, bool direct) {
          safe &= direct || !written.contains(arrays.classOf.lookup(source));
        });
    return safe;
  }

  void add(Operation &op) {
    run.push_back(&op);
    written.insert(arrays.classOf.lookup(op.getResult(0)));
    for (Value operand : op.getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        forEachSource(operand, recomputed, [&](Value source, bool direct) {
          if (!direct)
            readElsewhere.insert(arrays.classOf.lookup(source));
        });
  }

  void finish() {
    if (run.size() > (slices ? 0 : 1))
      loops[run.front()] = run;
    run.clear();
    written.clear();
    readElsewhere.clear();
  }

  const RecomputedTiles &recomputed;
  const ArrayAssignment &arrays;
  bool slices; ///< of as many elements each, packed ones and selects among them
  SmallVector<Operation *> run;
  llvm::DenseSet<int> written, readElsewhere; ///< classes
};

} // namespace

SharedLoops cuda::findSharedLoops(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays) {
  LoopFinder finder(recomputed, arrays, /*slices=*/false);
  finder.visit(role.getBody().front());
  return std::move(finder.loops);
}

/// In a loop with products that no other such loop is in.
static bool isInnermost(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && !loop->walk([&](LoopLikeOpInterface inner) {
                        return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
                      })
                      .wasInterrupted();
}

/// Whether `op` takes elements out of the words of a tile that was read from memory.
static bool unpacksLoaded(Operation *op, const RecomputedTiles &recomputed) {
  bool found = false;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      forEachSource(operand, recomputed, [&](Value source, bool) {
        auto tile = cast<RankedTensorType>(source.getType());
        while (auto convert = source.getDefiningOp<hw::ConvertLayoutOp>())
          source = convert.getSource();
        found |= tile.getRank() > 1 && registerArrayOf(tile).packing > 1 &&
                 isa_and_nonnull<hw::ReadOp, tile::LoadOp, tile::GatherOp>(source.getDefiningOp());
      });
  return found;
}

SharedLoops cuda::findSlices(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays) {
  auto kernel = role->getParentOfType<hw::KernelOp>();
  if (!kernel.getSmemBytes() || role.getSingle())
    return SharedLoops();
  LoopFinder finder(recomputed, arrays, /*slices=*/true);
  finder.visit(role.getBody().front());
  // In the order of the text; a run of element-wise operations may hold all that one of them computes for the next.
  auto lacks = [&](ArrayRef<Operation *> run) {
    int64_t most = 0;
    for (Operation *op : run)
      most = std::max(most, std::max(arrays.registersAt.lookup(op).first, arrays.registersAt.lookup(op).second));
    return most + registersBesideTiles + toMove > static_cast<int64_t>(role.getRegs());
  };
  Attribute asked = kernel->getAttr(hw::slicesAttr);
  bool all = isa_and_nonnull<UnitAttr>(asked), behind = asked && !all;
  for (auto &[first, run] : finder.loops)
    all |= isInnermost(first) && lacks(run) &&
           llvm::any_of(run, [&](Operation *op) { return unpacksLoaded(op, recomputed); });
  if (all)
    return std::move(finder.loops);
  SharedLoops found;
  for (auto &[first, run] : finder.loops) {
    int64_t elements = registerArrayOf(cast<RankedTensorType>(first->getResult(0).getType())).elements;
    if (!isInnermost(first) && (behind || (elements >= manyElements && llvm::any_of(run, isLongFunction))))
      found[first] = run;
  }
  return found;
}
