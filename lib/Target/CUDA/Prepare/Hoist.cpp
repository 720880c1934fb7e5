//===- Hoist.cpp - see Hoist.h --------------------------------------------------===//
#include "Hoist.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

bool cuda::dividesAtRunTime(Operation *op) {
  APInt divisor;
  return isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::FloorDivSIOp>(op) &&
         op->getResult(0).getType().isIntOrIndex() && !matchPattern(op->getOperand(1), m_ConstantInt(&divisor));
}

/// Adds the scalars of `loop` that `value` is computed from, operands first; false: a trip changes it.
static bool collect(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &chain) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (op && chain.contains(op))
    return true;
  if (!op || op->getNumRegions() || !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); }) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, loop, chain); }))
    return false;
  chain.insert(op);
  return true;
}

static Value notZero(Value divisor, OpBuilder &b, Location loc) {
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(divisor.getType(), value)).getResult();
  };
  Value isDivisor = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, divisor, number(0));
  return arith::SelectOp::create(b, loc, isDivisor, divisor, number(1));
}

static bool containsLoop(Operation *op) {
  return op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// On a division whose divisor is known not to be zero.
static constexpr llvm::StringLiteral guardedAttr = "heddle.guarded";

void cuda::hoistDivisions(hw::KernelOp kernel) {
  SmallVector<scf::ForOp> loops; // inner ones first
  kernel.walk([&](scf::ForOp loop) {
    if (loop->getParentOfType<hw::RoleOp>())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    llvm::SetVector<Operation *> chains;
    loop.getBody()->walk([&](Operation *op) {
      llvm::SetVector<Operation *> chain;
      if (dividesAtRunTime(op) && collect(op->getResult(0), loop, chain))
        chains.insert_range(chain);
    });
    for (Operation *op : chains) {
      op->moveBefore(loop);
      OpBuilder b(op);
      if (!dividesAtRunTime(op) || op->hasAttr(guardedAttr))
        continue;
      op->setOperand(1, notZero(op->getOperand(1), b, op->getLoc()));
      op->setAttr(guardedAttr, b.getUnitAttr());
    }
  }
}

bool cuda::wouldPassLoop(Operation *op) {
  Operation *reader = op, *last = op; // `last` stands in the block of `op`
  while (reader->getNumResults() == 1 && reader->getResult(0).hasOneUse() && reader->getBlock() == op->getBlock()) {
    reader = *reader->getResult(0).getUsers().begin();
    last = op->getBlock()->findAncestorOpInBlock(*reader);
  }
  if (reader == op)
    return false;
  for (Operation *around = reader->getParentOp(); around != op->getParentOp(); around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      return true;
  for (Operation *between = op->getNextNode(); between && between != last; between = between->getNextNode())
    if (containsLoop(between))
      return true;
  return false;
}
