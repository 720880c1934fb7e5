//===- WrapProof.cpp - lanes of a load that never reach memory --------------===//
//
// Why:       `offs % M` reads row 0 where a box reads zero. Right if the rows beyond M are never stored.
// Algorithm: follows the loaded tile with one of its dimensions through operations that keep lanes apart, to stores
//            whose masks have the same bound. Anything else that uses the value ends the proof.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <set>

using namespace mlir;
using heddle::address::Atom;
using heddle::address::Poly;

namespace heddle::triton {
namespace {

class Proof {
public:
  Proof(Values &values, const Poly &limit) : values(values), limit(limit) {}

  bool follow(Value value, int64_t dim) {
    if (!seen.insert({value.getAsOpaquePointer(), dim}).second)
      return true;
    for (OpOperand &use : value.getUses())
      if (!fine(use, dim))
        return false;
    return true;
  }

private:
  bool fine(OpOperand &use, int64_t dim);
  /// Whether lanes beyond the limit are masked out.
  bool masked(const std::vector<Atom> &mask, int64_t dim) {
    return llvm::any_of(mask, [&](const Atom &atom) {
      return !atom.opaque &&
             llvm::is_contained(values.algebra.bounds(atom.b - atom.a), limit - values.algebra.lane(dim));
    });
  }

  Values &values;
  Poly limit;
  std::set<std::pair<const void *, int64_t>> seen;
};

bool Proof::fine(OpOperand &use, int64_t dim) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  auto shape = cast<RankedTensorType>(use.get().getType()).getShape();
  if (isa<DotOp>(op)) {
    bool kept = number == 2 || static_cast<int64_t>(number) == dim;
    return kept && follow(op->getResult(0), dim);
  }
  if (auto trans = dyn_cast<TransOp>(op))
    return follow(trans, llvm::find(trans.getOrder(), dim) - trans.getOrder().begin());
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return follow(expand, dim < static_cast<int64_t>(expand.getAxis()) ? dim : dim + 1);
  if (isa<BroadcastOp>(op))
    return shape[dim] == cast<RankedTensorType>(op->getResult(0).getType()).getShape()[dim] &&
           follow(op->getResult(0), dim);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    int64_t axis = reduce.getAxis();
    return axis != dim && op->getNumOperands() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
           follow(op->getResult(0), dim < axis ? dim : dim - 1);
  }
  if (auto scan = dyn_cast<ScanOp>(op))
    return static_cast<int64_t>(scan.getAxis()) != dim && op->getNumOperands() == 1 && follow(op->getResult(0), dim);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned carried = number - loop.getNumControlOperands();
    return follow(loop.getRegionIterArg(carried), dim) && follow(loop.getResult(carried), dim);
  }
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return follow(loop.getRegionIterArg(number), dim) && follow(loop.getResult(number), dim);
    return isa<scf::IfOp>(op->getParentOp()) && follow(op->getParentOp()->getResult(number), dim);
  }
  if (auto store = dyn_cast<StoreOp>(op))
    return number == 1 && store.getMask() && masked(values.truth(store.getMask()), dim);
  if (auto add = dyn_cast<AtomicRMWOp>(op))
    return number == 1 && add.getMask() && masked(values.truth(add.getMask()), dim);
  bool elementwise = isa<FpToFpOp, ClampFOp, ExternElementwiseOp, PreciseSqrtOp, PreciseDivFOp>(op) ||
                     op->hasTrait<OpTrait::Elementwise>();
  return elementwise && isMemoryEffectFree(op) && op->getNumResults() == 1 && follow(op->getResult(0), dim);
}

} // namespace

bool neverStoredBeyond(Values &values, Operation *load, int64_t dim, const Poly &limit) {
  return Proof(values, limit).follow(load->getResult(0), dim);
}

} // namespace heddle::triton
