//===- Reduce.cpp - a smaller program that still does it -------------------===//
//
// What:      deletes and replaces one operation after the other, keeping each change after which the program still
//            verifies and is still interesting, until none is left to make.
// Changes:   an operation without results goes; a result becomes an operand or an argument of the same type, or zero; a
//            loop becomes its initial values, or one copy of its body; a branch becomes one of its arms; an attribute
//            `groups` goes.
//
//===----------------------------------------------------------------------===//
#include "Check.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
namespace heddle::random_programs {

static constexpr int changesPerOperation = 4;

/// Zero of `type` before `op`, or null.
static Value zeroOf(OpBuilder &b, Operation *op, Type type) {
  if (!getElementTypeOrSelf(type).isIntOrIndexOrFloat())
    return Value();
  return arith::ConstantOp::create(b, op->getLoc(), b.getZeroAttr(type));
}

static void removeDead(Operation *kernel) {
  for (bool changed = true; changed;) {
    SmallVector<Operation *> dead;
    kernel->walk([&](Operation *op) {
      if (isOpTriviallyDead(op))
        dead.push_back(op);
    });
    changed = false;
    for (Operation *op : dead) // what a loop holds before the loop
      if (op->use_empty()) {
        op->erase();
        changed = true;
      }
  }
}

/// A loop becomes its body for the first iteration.
static bool unwrap(scf::ForOp loop) {
  OpBuilder b(loop);
  IRMapping map;
  map.map(loop.getInductionVar(), loop.getLowerBound());
  map.map(loop.getRegionIterArgs(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, map);
  for (auto [result, yielded] : llvm::zip(loop.getResults(), loop.getYieldedValues()))
    result.replaceAllUsesWith(map.lookupOrDefault(yielded));
  loop.erase();
  return true;
}

/// A branch becomes its arm `arm`.
static bool takeArm(scf::IfOp branch, Region &arm) {
  if (arm.empty()) {
    branch.erase(); // it has no results then
    return true;
  }
  Operation *yield = arm.front().getTerminator();
  branch.replaceAllUsesWith(SmallVector<Value>(yield->getOperands()));
  yield->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(), arm.front().getOperations());
  branch.erase();
  return true;
}

/// A loop carries one value less: the `index`th is its initial value everywhere.
static bool dropCarried(scf::ForOp loop, unsigned index) {
  loop.getRegionIterArg(index).replaceAllUsesWith(loop.getInitArgs()[index]);
  loop.getResult(index).replaceAllUsesWith(loop.getInitArgs()[index]);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.erase(inits.begin() + index);
  OpBuilder b(loop);
  auto fewer = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  if (inits.empty())
    fewer.getBody()->getTerminator()->erase();
  IRMapping map;
  map.map(loop.getInductionVar(), fewer.getInductionVar());
  SmallVector<Value> arguments(loop.getRegionIterArgs()), results(loop.getResults());
  arguments.erase(arguments.begin() + index);
  results.erase(results.begin() + index);
  map.map(arguments, SmallVector<Value>(fewer.getRegionIterArgs()));
  b.setInsertionPointToEnd(fewer.getBody());
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, map);
  SmallVector<Value> yields;
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    if (i != index)
      yields.push_back(map.lookupOrDefault(value));
  scf::YieldOp::create(b, loop.getLoc(), yields);
  for (auto [old, now] : llvm::zip(results, fewer.getResults()))
    old.replaceAllUsesWith(now);
  loop.erase();
  return true;
}

/// True where a program's part of the whole depends on `op`: programs that share a part would be wrong for another
/// reason.
static bool findsPart(Operation *op) {
  return isa<tile::ProgramIdOp>(op) ||
         llvm::any_of(op->getUsers(),
                      [](Operation *user) {
                        return isa<tile::GridOp>(user) || (user->getNumResults() == 1 &&
                                                           user->getResult(0).getType().isIndex() && findsPart(user));
                      }) ||
         llvm::any_of(op->getOperands(), [](Value v) { return v.getDefiningOp<tile::ProgramIdOp>(); });
}

/// Arguments that nothing uses go.
static void dropArguments(tile::KernelOp kernel) {
  Block &entry = kernel.getBody().front();
  llvm::BitVector unused(entry.getNumArguments());
  for (BlockArgument argument : entry.getArguments())
    unused[argument.getArgNumber()] = argument.use_empty();
  if (unused.any())
    (void)kernel.eraseArguments(unused);
}

/// Makes change number `change` of `op`; false where there is none.
static bool apply(Operation *op, int change) {
  OpBuilder b(op);
  if (isa<tile::GridOp, tile::ReturnOp, scf::YieldOp, scf::ConditionOp>(op))
    return false;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return change < 2 && takeArm(branch, branch->getRegion(change));
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (change > 0 || loop.getInits().getTypes() != loop.getResultTypes())
      return false;
    loop.replaceAllUsesWith(SmallVector<Value>(loop.getInits()));
    loop.erase();
    return true;
  }
  if (isa<tile::KernelOp>(op))
    return change == 0 && op->removeAttr("groups");
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (change == 0) {
      loop.replaceAllUsesWith(SmallVector<Value>(loop.getInitArgs()));
      loop.erase();
      return true;
    }
    if (change == 1)
      return unwrap(loop);
    unsigned index = change - 2;
    return index < loop.getNumResults() && dropCarried(loop, index);
  }
  if (op->getNumResults() == 0) {
    if (change)
      return false;
    op->erase();
    return true;
  }
  if (op->getNumResults() != 1 || isa<arith::ConstantOp>(op) || findsPart(op))
    return false;
  Value result = op->getResult(0), with;
  if (change == 0)
    with = zeroOf(b, op, result.getType());
  else if (unsigned(change - 1) < op->getNumOperands() && op->getOperand(change - 1).getType() == result.getType())
    with = op->getOperand(change - 1);
  if (!with)
    return false;
  result.replaceAllUsesWith(with);
  op->erase();
  return true;
}

std::string reduceProgram(const std::string &text, const std::function<bool(const std::string &)> &interesting) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  std::string best = text;
  for (bool progress = true; progress;) {
    progress = false;
    for (int64_t index = 0;; ++index) {
      bool any = false;
      for (int change = 0; change < changesPerOperation + 2; ++change) {
        OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(best, &context);
        if (!module)
          return best;
        SmallVector<Operation *> ops; // late ones first: what uses goes before what is used
        module->walk([&](Operation *op) {
          if (!isa<ModuleOp>(op))
            ops.push_back(op);
        });
        if (index >= static_cast<int64_t>(ops.size()))
          break;
        any = true;
        if (!apply(ops[ops.size() - 1 - index], change))
          continue;
        removeDead(*module);
        dropArguments(*module->getOps<tile::KernelOp>().begin());
        if (failed(verify(*module)))
          continue;
        std::string candidate;
        llvm::raw_string_ostream os(candidate);
        module->print(os);
        if (candidate != best && interesting(candidate)) {
          best = candidate;
          progress = true;
          change = -1; // the operation at this place is another one now
        }
      }
      if (!any)
        break;
    }
  }
  return best;
}

} // namespace heddle::random_programs
