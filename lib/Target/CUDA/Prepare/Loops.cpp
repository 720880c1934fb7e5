//===- Loops.cpp - see Loops.h --------------------------------------------------===//
#include "Loops.h"

#include "RegisterTilesImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

class Finder {
public:
  Finder(const RecomputedTiles &recomputed, const ArrayAssignment &arrays) : recomputed(recomputed), arrays(arrays) {}

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
    return isa<arith::ConstantOp>(op) || (op.getNumResults() == 1 && recomputed.contains(op.getResult(0)));
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

  static int64_t sizeOf(Operation &op) {
    return registerArrayOf(cast<RankedTensorType>(op.getResult(0).getType())).size;
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
    if (run.size() > 1)
      loops[run.front()] = run;
    run.clear();
    written.clear();
    readElsewhere.clear();
  }

  const RecomputedTiles &recomputed;
  const ArrayAssignment &arrays;
  SmallVector<Operation *> run;
  llvm::DenseSet<int> written, readElsewhere; ///< classes
};

} // namespace

SharedLoops cuda::findSharedLoops(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays) {
  Finder finder(recomputed, arrays);
  finder.visit(role.getBody().front());
  return std::move(finder.loops);
}
