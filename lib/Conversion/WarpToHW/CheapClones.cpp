//===- CheapClones.cpp - see CheapClones.h ---------------------------------------===//
#include "CheapClones.h"

#include "LayoutRules.h"
#include "heddle/Dialect/Tile/Reshape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static bool isRegisterTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Operations that computing `op` alone again takes, at most this many; more are no longer cheap. A value that is used
/// twice counts twice: a chain of such values doubles with every link.
constexpr int64_t mostRecomputed = 64;

/// The operations whose results are cheap to recompute: that costs no memory access, no exchange and little time.
static SmallVector<Operation *> findCheap(warp::GroupOp group) {
  llvm::MapVector<Operation *, int64_t> sizes;
  group.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !isRegisterTile(op->getResult(0)))
      return;
    bool isLeaf = isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(op);
    if (!isLeaf && !isa<tile::BroadcastOp>(op) && !isElementwise(op) && !Reshape::of(op))
      return;
    int64_t size = 1;
    for (Value operand : op->getOperands())
      if (isRegisterTile(operand)) {
        auto known = sizes.find(operand.getDefiningOp());
        size += known == sizes.end() ? mostRecomputed : known->second;
      }
    if (size <= mostRecomputed)
      sizes[op] = size;
  });
  return llvm::to_vector(llvm::make_first_range(sizes));
}

CheapClones::CheapClones(warp::GroupOp group) {
  SmallVector<Operation *> cheap = findCheap(group);
  // Users first, so that the copies of a user count as uses of its operands.
  for (Operation *op : llvm::reverse(cheap)) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      uses.push_back(&use);
    // Uses are listed newest first; program order keeps the output deterministic and readable.
    std::reverse(uses.begin(), uses.end());
    OpBuilder builder(op);
    for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
      Operation *copy = builder.clone(*op);
      use->set(copy->getResult(0));
      clones[op].push_back(copy);
    }
    if (uses.size() > 1)
      clones[op].push_back(op);
  }
}

void CheapClones::merge() {
  // `clones` lists users before their operands; merge operands first.
  auto originals = llvm::to_vector(llvm::make_first_range(clones));
  for (Operation *original : llvm::reverse(originals)) {
    SmallVector<Operation *> kept;
    for (Operation *copy : clones[original]) {
      auto same = llvm::find_if(kept, [&](Operation *other) {
        return other->getResultTypes() == copy->getResultTypes() && other->getOperands() == copy->getOperands();
      });
      if (same == kept.end()) {
        kept.push_back(copy);
        continue;
      }
      copy->getResult(0).replaceAllUsesWith((*same)->getResult(0));
      copy->erase();
    }
  }
}
