//===- Fold.cpp - see Fold.h ----------------------------------------------------===//
#include "Fold.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace heddle;

static bool isScalarConstant(Operation *op) {
  return isa<arith::ConstantOp>(op) && op->getResult(0).getType().isIntOrIndex();
}

/// Replaces `op` by constants where its operands are; false: not possible.
static bool foldToConstants(Operation *op) {
  if (op->getNumRegions() || !op->getNumResults() || isa<arith::ConstantOp>(op) ||
      !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); }))
    return false;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    Attribute constant;
    if (!matchPattern(operand, m_Constant(&constant)))
      return false;
    operands.push_back(constant);
  }
  SmallVector<OpFoldResult> folded;
  if (operands.empty() || failed(op->fold(operands, folded)) || folded.size() != op->getNumResults())
    return false;
  OpBuilder b(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), folded)) {
    if (auto attribute = dyn_cast<Attribute>(value))
      result.replaceAllUsesWith(arith::ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(attribute)));
    else
      result.replaceAllUsesWith(cast<Value>(value));
  }
  op->erase();
  return true;
}

/// Replaces a branch on a constant by what it takes; false: not one.
static bool foldBranch(scf::IfOp op) {
  APInt condition;
  if (!matchPattern(op.getCondition(), m_ConstantInt(&condition)))
    return false;
  Region &taken = condition.isZero() ? op.getElseRegion() : op.getThenRegion();
  if (!taken.empty()) {
    Operation *yield = taken.front().getTerminator();
    op->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), taken.front().getOperations());
  }
  op->erase();
  return true;
}

/// Remainders by powers of two become masks, quotients of which only the lowest bit is read become shifts: slots and
/// parities of rings.
static void simplifyDivisions(hw::RoleOp role) {
  SmallVector<Operation *> divisions;
  role.walk([&](Operation *op) {
    if (isa<arith::RemUIOp, arith::DivUIOp>(op) && op->getResult(0).getType().isIndex())
      divisions.push_back(op);
  });
  for (Operation *op : divisions) {
    APInt divisor, one;
    if (!matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || !divisor.isPowerOf2())
      continue;
    OpBuilder b(op);
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, op->getLoc(), value); };
    bool lowestBit = llvm::all_of(op->getUsers(), [&](Operation *user) {
      return isa<arith::AndIOp>(user) && matchPattern(user->getOperand(1), m_ConstantInt(&one)) && one.isOne();
    });
    Value simple;
    if (isa<arith::RemUIOp>(op))
      simple = arith::AndIOp::create(b, op->getLoc(), op->getOperand(0), constant(divisor.getSExtValue() - 1));
    else if (lowestBit && divisor.logBase2() < 31)
      simple = arith::ShRSIOp::create(b, op->getLoc(), op->getOperand(0), constant(divisor.logBase2()));
    if (!simple)
      continue;
    if (Attribute name = op->getDiscardableAttr(warp::scalarNameAttr))
      simple.getDefiningOp()->setDiscardableAttr(warp::scalarNameAttr, name);
    op->getResult(0).replaceAllUsesWith(simple);
    op->erase();
  }
}

static bool foldBlock(Block &block) {
  bool changed = false;
  for (bool again = true; again;) { // a branch that is replaced brings operations before the place of the walk
    again = false;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (foldToConstants(&op)) { // it is gone
        changed = true;
        continue;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op); branch && foldBranch(branch)) {
        changed = again = true;
        break;
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          changed |= foldBlock(inner);
    }
  }
  return changed;
}

/// Puts `next`, which lacks the results of `op` in `unused`, in the place of `op`.
static Operation *replaceBy(Operation *next, Operation *op, const llvm::BitVector &unused) {
  auto kept = next->getResults().begin();
  for (OpResult result : op->getResults())
    if (!unused[result.getResultNumber()])
      result.replaceAllUsesWith(*kept++);
  op->erase();
  return next;
}

/// A branch without the results that nobody reads.
static Operation *dropUnused(scf::IfOp op) {
  llvm::BitVector unused(op.getNumResults());
  SmallVector<Type> types;
  for (OpResult result : op.getResults())
    if (result.use_empty())
      unused.set(result.getResultNumber());
    else
      types.push_back(result.getType());
  if (unused.none())
    return op;
  OpBuilder b(op);
  OperationState state(op.getLoc(), scf::IfOp::getOperationName(), op->getOperands(), types,
                       llvm::to_vector(op->getDiscardableAttrs()));
  for (Region &region : op->getRegions()) {
    if (!region.empty())
      region.front().getTerminator()->eraseOperands(unused);
    bool isNothing =
        types.empty() && &region == &op.getElseRegion() && !region.empty() && isa<scf::YieldOp>(region.front().front());
    if (Region *to = state.addRegion(); !isNothing)
      to->takeBody(region);
  }
  return replaceBy(b.create(state), op, unused);
}

/// Reads are not in the way: of memory that a list names, and of tiles in slots that another group has a use for.
static bool isUnneeded(Operation *op) {
  bool hasNoEffect = isMemoryEffectFree(op) || isa<tile::ElementOp, hw::ReadOp>(op);
  return op->getNumResults() && !op->getNumRegions() && hasNoEffect;
}

/// Whether the number `argument` gives only its own next value: a list that another group follows, uses of a ring that
/// a branch which is never taken would have had.
static bool followsForNobody(BlockArgument argument) {
  if (!argument.getType().isIntOrIndex())
    return false;
  Operation *yield = argument.getOwner()->getTerminator();
  SmallVector<Value> work{argument};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (user == yield && use.getOperandNumber() + 1 == argument.getArgNumber())
        continue;
      if (!isUnneeded(user) || llvm::any_of(user->getResultTypes(), llvm::IsaPred<RankedTensorType>))
        return false;
      if (seen.insert(user).second)
        llvm::append_range(work, user->getResults());
    }
  return true;
}

/// A loop without what it carries but reads neither inside nor after.
static Operation *dropUnused(scf::ForOp op) {
  for (auto [result, argument, init] : llvm::zip(op.getResults(), op.getRegionIterArgs(), op.getInitArgs()))
    if (result.use_empty() && followsForNobody(argument))
      argument.replaceAllUsesWith(init);
  llvm::BitVector unused(op.getNumResults()), arguments(op.getNumResults() + 1), operands(op->getNumOperands());
  SmallVector<Type> types;
  for (auto [result, argument] : llvm::zip(op.getResults(), op.getRegionIterArgs()))
    if (int number = result.getResultNumber(); result.use_empty() && argument.use_empty()) {
      unused.set(number);
      arguments.set(argument.getArgNumber());
      operands.set(op->getNumOperands() - op.getNumResults() + number);
    } else {
      types.push_back(result.getType());
    }
  if (unused.none())
    return op;
  op.getBody()->getTerminator()->eraseOperands(unused);
  op.getBody()->eraseArguments(arguments);
  SmallVector<Value> given;
  for (OpOperand &operand : op->getOpOperands())
    if (!operands[operand.getOperandNumber()])
      given.push_back(operand.get());
  OpBuilder b(op);
  OperationState state(op.getLoc(), scf::ForOp::getOperationName(), given, types,
                       llvm::to_vector(op->getDiscardableAttrs()));
  state.addRegion()->takeBody(op.getRegion());
  return replaceBy(b.create(state), op, unused);
}

/// Erases operations without effect, and reads of elements, whose results nobody uses, and such results of branches and
/// loops, last first. False: there was none.
static bool eraseDead(Block &block) {
  bool changed = false;
  for (Operation &each : llvm::make_early_inc_range(llvm::reverse(block))) {
    Operation *op = &each;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      op = dropUnused(branch);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      op = dropUnused(loop);
    changed |= op != &each;
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        changed |= eraseDead(inner);
    if (!op->use_empty() || !isUnneeded(op))
      continue;
    op->erase();
    changed = true;
  }
  return changed;
}

void cuda::foldScalars(hw::KernelOp kernel) {
  for (auto role : kernel.getBody().getOps<hw::RoleOp>()) {
    Block &body = role.getBody().front();
    while (foldBlock(body)) {
    }
    simplifyDivisions(role);
    while (eraseDead(body)) {
    }
    SmallVector<Operation *> constants;
    role.walk([&](Operation *op) {
      if (isScalarConstant(op))
        constants.push_back(op);
    });
    for (Operation *op : constants) {
      for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
        OpBuilder b(use.getOwner());
        use.set(b.clone(*op)->getResult(0));
      }
      op->erase();
    }
  }
}
